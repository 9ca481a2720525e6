#pragma once
#include <string>
#include <vector>

#include "solvers/train/checkpoint.h"

namespace pinn {

/// Which folder a run wants.
struct FolderRequest {
  std::string name;        ///< of the problem: runs/NAME, or runs/NAME-2 and on when that is taken
  std::string out = {};    ///< a folder of the user's choice, or the run folder given as target
  bool resume = false;     ///< go on with the run in `out`, or with the highest number
  bool overwrite = false;  ///< empty `out`, or runs/NAME, of the run it holds
  std::string root = "runs";
};

/// A run's folder, made and locked for as long as this object lives: one folder, one writer. The
/// lock is the system's and is gone with the process, however that ends.
///
///   errors   ConfigError when another process writes the folder, or `out` holds a run and neither
///            resume nor overwrite was said; FileError when it cannot be made
class RunFolder {
 public:
  explicit RunFolder(const FolderRequest& request);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// What an interrupted write or a damaged file made necessary, for the user.
  const std::vector<std::string>& messages() const { return messages_; }

  /// The newest good checkpoint, for going on. Damaged ones are renamed to *.damaged.h5, so that
  /// the next save does not push a damaged file over the good one.
  Found recover();

 private:
  void lock();
  void remove_drafts();
  void remove_run();

  std::string path_;
  int lock_ = -1;
  std::vector<std::string> messages_;
};

/// Whether a folder holds what a run writes.
bool holds_run(const std::string& folder);

/// The process that writes a run folder now; 0 when there is none.
long writer_of(const std::string& folder);

/// How a run stands and what one can do with it, in a few lines; for a run folder as the only
/// argument.
///
///   errors   ConfigError when the folder holds no run
std::string status(const std::string& folder);

}  // namespace pinn
