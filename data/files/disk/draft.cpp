#include "data/files/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

namespace pinn {
namespace {

constexpr std::string_view mark = ".pinn-", ending = ".tmp";
constexpr std::size_t digits = 16;
constexpr std::size_t longest = 255 - mark.size() - digits - ending.size();  ///< NAME_MAX

std::string draft_name(const std::string& file) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    throw_file_error("cannot draw a random number", "getrandom", errno);
  return fmt::format("{}{}{:016x}{}", file.substr(0, longest), mark, number, ending);
}

bool is_draft_of(std::string_view name, const std::string& file) {
  if (!name.starts_with(file)) return false;
  name.remove_prefix(file.size());
  if (name.size() != mark.size() + digits + ending.size()) return false;
  return name.starts_with(mark) && name.ends_with(ending) &&
         name.find_first_not_of("0123456789abcdef", mark.size()) == mark.size() + digits;
}

std::vector<std::string> names_in(int folder) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy < 0 ? nullptr : ::fdopendir(copy),
                                                    ::closedir);
  std::vector<std::string> names;
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr)
    names.push_back(entry->d_name);
  return names;
}

/// True if it is a plain file that is not being written any more.
bool is_left(int folder, const std::string& name) {
  const int file = ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status;
  const bool left = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                    ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return left;
}

}  // namespace

Draft::Draft(FileSystem& files, int folder, const std::string& path)
    : files_(files),
      folder_(folder),
      path_(path),
      target_(std::filesystem::path(path).filename().string()) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  do {
    name_ = draft_name(target_);
    file_ = again([&] { return files_.open(folder_, name_.c_str(), flags, 0666); });
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) throw_file_error("cannot create the file", path_, errno);
  ::flock(file_, LOCK_EX | LOCK_NB);  // where the disk knows no locks it goes without
}

Draft::~Draft() {
  if (file_ >= 0) files_.close(file_);
  if (!kept_) files_.unlink(folder_, name_.c_str());
}

void Draft::write(const std::vector<std::string_view>& parts) {
  std::size_t total = written_;
  for (const auto part : parts) total += part.size();
  for (auto part : parts)
    while (!part.empty()) {
      const ssize_t count = files_.write(file_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0)
        throw_file_error(fmt::format("cannot write byte {} of {} of the file", written_, total),
                         path_, count < 0 ? errno : EIO);
      part.remove_prefix(std::size_t(count));
      written_ += std::size_t(count);
    }
}

void Draft::write_beginning(std::string_view bytes) {
  if (files_.seek(file_, 0) != 0) throw_file_error("cannot go back to the beginning", path_, errno);
  written_ = 0;
  write({bytes});
}

void Draft::to_disk() {
  if (again([&] { return files_.fsync(file_); }) != 0)
    throw_file_error("cannot bring to the disk (fsync)", path_, errno);
  const int file = std::exchange(file_, -1);  // whatever close says, the descriptor is gone
  if (files_.close(file) != 0 && errno != EINTR) throw_file_error("cannot close", path_, errno);
}

void Draft::move_into_place(const std::string& previous) {
  const char* const target = target_.c_str();
  const bool moved = !previous.empty() && files_.rename(folder_, target, previous.c_str()) == 0;
  if (!previous.empty() && !moved && errno != ENOENT)
    throw_file_error("cannot rename to " + previous, path_, errno);
  if (files_.rename(folder_, name_.c_str(), target) != 0) {
    const int code = errno;
    if (moved) files_.rename(folder_, previous.c_str(), target);
    throw_file_error("cannot rename a draft to it", path_, code);
  }
  kept_ = true;
}

std::vector<std::string> remove_drafts(int folder, const std::vector<std::string>& files) {
  std::vector<std::string> removed;
  for (const std::string& name : names_in(folder)) {
    const bool ours = std::any_of(files.begin(), files.end(),
                                  [&](const std::string& f) { return is_draft_of(name, f); });
    if (ours && is_left(folder, name) && ::unlinkat(folder, name.c_str(), 0) == 0)
      removed.push_back(name);
  }
  return removed;
}

namespace {

/// "runs/a" of "runs/a", "runs/a/" and "runs/a//".
std::string plain(const std::string& path) {
  return (std::filesystem::path(path) / "").parent_path().string();
}

int opened(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) throw_file_error("cannot open the folder", path, errno);
  return folder;
}

}  // namespace

HeldFolder::HeldFolder(const std::string& path, FileSystem& files)
    : path_(plain(path)), files_(files), folder_(opened(path)) {}

HeldFolder::~HeldFolder() { ::close(folder_); }

int HeldFolder::open_folder(const char* path) {
  if (plain(path) != path_) return files_.open_folder(path);
  // Not dup: that would share the lock, and what is closed is to be the caller's own.
  return files_.open(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
}

int HeldFolder::open(int folder, const char* name, int flags, int mode) {
  return files_.open(folder, name, flags, mode);
}
ssize_t HeldFolder::write(int file, const void* bytes, std::size_t count) {
  return files_.write(file, bytes, count);
}
off_t HeldFolder::seek(int file, off_t to) { return files_.seek(file, to); }
int HeldFolder::fsync(int file) { return files_.fsync(file); }
int HeldFolder::truncate(int file, off_t size) { return files_.truncate(file, size); }
int HeldFolder::close(int file) { return files_.close(file); }
int HeldFolder::rename(int folder, const char* from, const char* to) {
  return files_.rename(folder, from, to);
}
int HeldFolder::unlink(int folder, const char* name) { return files_.unlink(folder, name); }

}  // namespace pinn
