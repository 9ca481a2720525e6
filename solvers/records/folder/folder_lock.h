#pragma once
#include <string>

namespace pinn {

/// Keeps every other writer out of a run's folder while this object and its process live. There are
/// two locks of the system's, for each has a hole: one of the file `.lock`, which can be deleted,
/// and one of the folder itself, which not every network disk knows. Programs that only read cannot
/// keep a writer out: the first is a write lock, and a shared one of the second is passed over.
/// Nothing is written to `.lock`: the lock's place in it is the number of the process.
class FolderLock {
 public:
  /// Locks the folder that is open as `folder`; `path` is for messages.
  ///
  ///   errors   ConfigError when another process writes there; FileError when `.lock` cannot be
  ///            made, or is no plain file
  FolderLock(const std::string& path, int folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;

  /// False on a disk without locks.
  bool locked() const { return file_locked_ || folder_locked_; }

  /// Errors: FileError when another process may write the folder by now, for `.lock` was deleted or
  /// replaced and nothing else is locked.
  void require_held() const;

 private:
  void open();
  bool is_in_place() const;
  bool lock_file();
  bool lock_folder();

  const std::string path_;
  const int folder_;
  int file_ = -1;
  bool file_locked_ = false, folder_locked_ = false;
};

/// The file that is locked.
inline constexpr const char* lock_name = ".lock";

/// The process that writes a run folder now; 0 when there is none, -1 when there is one that cannot
/// be told. Keeps no writer out.
long writer_of(const std::string& folder);

}  // namespace pinn
