#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/files/disk.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/folder/folder_lock.h"

namespace pinn {

/// Which folder a run wants.
struct FolderRequest {
  std::string name;        ///< of the problem: runs/NAME, or runs/NAME-2 and on when that is taken
  std::string out = {};    ///< a folder of the user's choice, or the run folder given as target
  bool resume = false;     ///< go on with the run in `out`, or with the highest number
  bool overwrite = false;  ///< empty `out`, or runs/NAME, of the run it holds
  std::string root = "runs";
  std::string problem = {};  ///< the problem's file, as named_in_status has it
};

/// A problem's file as status.json names it: seen from the current folder, where `runs` lies too.
std::string named_in_status(const std::string& problem_file);

/// A run's folder, made and locked for as long as this object lives: one folder, one writer. The
/// lock is the system's and is gone with the process, however that ends. To go on, the run NAME-k
/// with the highest number is taken; else the latest run of the same problem file that lies
/// elsewhere under `root`; else a new one is begun.
///
///   files    how files reach the disk; null: the system's way
///   errors   ConfigError when another process writes the folder, or `out` holds a run and neither
///            resume nor overwrite was said; FileError when it cannot be made
class RunFolder {
 public:
  explicit RunFolder(const FolderRequest& request, FileSystem* files = nullptr);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// Writes in this folder, wherever it was moved since.
  FileSystem& files() { return held_; }
  /// path(), or where the folder was moved to since.
  std::string place() const;
  /// Errors: FileError when another process may write the folder by now.
  void require_ours() const { lock_.require_held(); }

  /// Messages for the user, made necessary by an interrupted write or a damaged file.
  const std::vector<std::string>& messages() const { return messages_; }

  /// Message on where `resume` looked and for what, when there is no run NAME to go on with; or
  /// empty.
  const std::string& choice() const { return choice_; }

  /// The newest good checkpoint, for going on, without what ranks share out. Damaged ones are
  /// renamed to *.damaged.h5, so that the next save does not push a damaged file over the good one.
  Found recover();

 private:
  std::string chosen(const FolderRequest& request);
  std::string resumed(const FolderRequest& request);
  std::string fresh(const FolderRequest& request);
  bool holds(const char* name) const noexcept;
  void remove_run(const std::string& name_of_run);

  std::string choice_;
  bool made_ = false;  ///< by this object: one that never held a run goes with it
  const std::string path_;
  FileSystem disk_;
  HeldFolder held_;
  FolderLock lock_;
  std::vector<std::string> messages_;
};

/// The record of the run of a problem file that `resume` would go on with, if there is one.
std::optional<RunRecord> record_before(const std::string& problem_file, const std::string& out);

/// True if a folder holds what a run writes, be it a link. Errors: FileError.
bool holds_run(const std::string& folder);

}  // namespace pinn
