#include "solvers/sweep/child.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "data/files/disk.h"

namespace pinn::sweep {
namespace {

constexpr const char* lock_file = "/.sweep";

struct flock whole_file() {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

}  // namespace

Lock::Lock(const std::string& folder, int command) {
  const std::string path = folder + lock_file;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file_ < 0) throw_file_error("cannot make the lock of the sweep", path, errno);
  require_plain(file_, path);
  struct flock all = whole_file();
  int done = 0;
  while ((done = ::fcntl(file_, command, &all)) != 0 && errno == EINTR) {
  }
  if (done == 0) return;
  const int error = errno;
  ::close(std::exchange(file_, -1));
  if (error != EAGAIN && error != EACCES)
    throw FileError({"this disk keeps no locks, so that two processes could train one member", path,
                     "put the sweep on another disk with --out"});
}

Lock Lock::tried(const std::string& folder) { return Lock(folder, F_OFD_SETLK); }
Lock Lock::awaited(const std::string& folder) { return Lock(folder, F_OFD_SETLKW); }

bool Lock::is_held(const std::string& folder) {
  const int file =
      ::open((folder + lock_file).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  struct flock found = whole_file();
  found.l_type = F_RDLCK;  // what is asked of a file that is open to be read
  const bool held = ::fcntl(file, F_OFD_GETLK, &found) == 0 && found.l_type == F_WRLCK;
  ::close(file);
  return held;
}

Lock::Lock(Lock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

Lock& Lock::operator=(Lock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

Lock::~Lock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace pinn::sweep
