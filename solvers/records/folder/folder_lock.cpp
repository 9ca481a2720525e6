#include "solvers/records/folder/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "autograd/core/error.h"
#include "data/files/disk.h"

namespace pinn {
namespace {

constexpr long unknown = -1;

/// The bytes from `start` on, to whatever end: those of two processes overlap always, and where
/// they begin says whose they are.
struct flock bytes_from(long start, short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  return range;
}

/// The process with a write lock of the file; 0 when there is none.
long writer(int file) {
  struct flock found = bytes_from(0, F_RDLCK);
  if (::fcntl(file, F_OFD_GETLK, &found) != 0 || found.l_type != F_WRLCK) return 0;
  return found.l_start > 0 ? long(found.l_start) : unknown;
}

/// True if another process has the folder for itself. Asks by a shared lock, and gives it back.
bool is_written(int folder) {
  if (::flock(folder, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(folder, LOCK_UN);
  return false;
}

[[noreturn]] void refuse(long pid, const std::string& path) {
  if (pid > 0)
    throw ConfigError(
        {fmt::format("process {} is writing this run", pid), path,
         fmt::format("wait for it, stop it (kill {}), or choose another folder with --out", pid)});
  throw ConfigError({"another process is writing this run", path,
                     "wait for it, or choose another folder with --out"});
}

}  // namespace

FolderLock::FolderLock(const std::string& path, int folder) : path_(path), folder_(folder) {
  try {
    do {
      open();
      file_locked_ = lock_file();
    } while (file_locked_ && !is_in_place());  // a run that was refused took its own away
    folder_locked_ = lock_folder();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

FolderLock::~FolderLock() {
  ::flock(folder_, LOCK_UN);
  ::close(file_);
}

void FolderLock::open() {
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const std::string name = path_ + "/" + lock_name;
  if (file_ >= 0) ::close(file_);
  file_ = ::openat(folder_, lock_name, flags, 0666);
  if (file_ < 0) throw_file_error("cannot make the lock of the run", name, errno);
  struct stat status;
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode))
    throw FileError({"the lock of the run is no plain file", name, "remove it"});
}

bool FolderLock::is_in_place() const {
  struct stat ours, there;
  return ::fstat(file_, &ours) == 0 &&
         ::fstatat(folder_, lock_name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

bool FolderLock::lock_file() {
  struct flock all = bytes_from(::getpid(), F_WRLCK);
  if (::fcntl(file_, F_OFD_SETLK, &all) == 0) return true;
  if (const long pid = writer(file_); pid != 0) refuse(pid, path_);
  return false;
}

bool FolderLock::lock_folder() {
  if (::flock(folder_, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK && is_written(folder_)) refuse(unknown, path_);
  if (errno == EWOULDBLOCK && !file_locked_)
    throw ConfigError({"programs that read this run keep it locked", path_,
                       "wait for them, or choose another folder with --out"});
  return false;
}

void FolderLock::require_held() const {
  if (folder_locked_ || !file_locked_ || is_in_place()) return;
  throw FileError(
      {"the file .lock of this run was deleted or replaced while it was at work: "
       "another process may write the folder now",
       path_, "go on with --resume when no other process writes it"});
}

long writer_of(const std::string& folder) {
  const std::string name = folder + "/" + lock_name;
  const int file = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const long pid = file < 0 ? 0 : writer(file);
  if (file >= 0) ::close(file);
  if (pid != 0) return pid;
  const int place = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place < 0) return 0;
  const bool written = is_written(place);
  ::close(place);
  return written ? unknown : 0;
}

}  // namespace pinn
