#include "autograd/cuda/driver/kernel_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace fs = std::filesystem;

namespace pinn::cuda {
namespace {

/// A file or folder that is open; -1 when it is not.
class Open {
 public:
  explicit Open(int file) : file_(file) {}
  ~Open() {
    if (file_ >= 0) ::close(file_);
  }
  Open(const Open&) = delete;

  operator int() const { return file_; }

  /// True if it is of this kind (S_IFREG, S_IFDIR), and nobody else may have written to it.
  bool is_own(mode_t kind) const {
    struct stat status;
    return file_ >= 0 && ::fstat(file_, &status) == 0 && (status.st_mode & S_IFMT) == kind &&
           status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }

 private:
  const int file_;
};

int opened(const fs::path& folder) {
  return folder.empty() ? -1 : ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(std::size_t(count));
  }
  return true;
}

}  // namespace

KernelFolder::KernelFolder(fs::path path) : path_(std::move(path)) {}

std::string KernelFolder::read(const std::string& name) const {
  const Open folder(opened(path_));
  if (!folder.is_own(S_IFDIR)) return {};
  const Open file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_own(S_IFREG)) return {};
  std::string content;
  char buffer[1 << 16];
  for (ssize_t count; (count = ::read(file, buffer, sizeof buffer)) != 0;) {
    if (count < 0 && errno != EINTR) return {};
    if (count > 0) content.append(buffer, std::size_t(count));
  }
  return content;
}

void KernelFolder::write(const std::string& name, const std::string& content) const {
  std::error_code ignored;
  if (path_.empty()) return;
  fs::create_directories(path_.parent_path(), ignored);
  ::mkdir(path_.c_str(), 0700);  // as a rule it is there
  const Open folder(opened(path_));
  std::uint64_t number = 0;
  if (!folder.is_own(S_IFDIR) || ::getrandom(&number, sizeof number, 0) != sizeof number) return;
  const std::string unfinished = fmt::format("{}.{:016x}", name, number);
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Open file(::openat(folder, unfinished.c_str(), flags, 0600));
  if (file < 0) return;
  if (!write_all(file, content) ||
      ::renameat(folder, unfinished.c_str(), folder, name.c_str()) != 0)
    ::unlinkat(folder, unfinished.c_str(), 0);
}

}  // namespace pinn::cuda
