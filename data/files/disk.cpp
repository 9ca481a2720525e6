#include "data/files/disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "autograd/core/error.h"

namespace pinn {

int FileSystem::open(const char* path, int flags, int mode) { return ::open(path, flags, mode); }
ssize_t FileSystem::write(int file, const void* bytes, std::size_t count) {
  return ::write(file, bytes, count);
}
int FileSystem::fsync(int file) { return ::fsync(file); }
int FileSystem::close(int file) { return ::close(file); }
int FileSystem::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileSystem::unlink(const char* path) { return ::unlink(path); }

namespace {

const char* remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "make room on that disk, or write elsewhere with --out";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f), or write elsewhere with --out";
    case EROFS:
    case EACCES:
    case EPERM:
      return "give yourself the right to write there, or write elsewhere with --out";
    case ENOENT:
    case ENOTDIR:
      return "check the spelling of the path";
    case EMFILE:
    case ENFILE:
      return "close other programs, or raise the limit on open files (ulimit -n)";
    case EIO:
      return "look for a failing disk or network in `dmesg`, or write elsewhere with --out";
    default:
      return "check the disk and the path";
  }
}

/// A file being written under its temporary name; gone again unless it was kept.
class Draft {
 public:
  Draft(FileSystem& files, const std::string& path)
      : files_(files), path_(path), name_(path + ".tmp") {
    file_ = files_.open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) throw_file_error("cannot create the file", name_, errno);
  }
  ~Draft() {
    if (file_ >= 0) files_.close(file_);
    if (!kept_) files_.unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;

  void write(const std::vector<std::string_view>& parts) {
    std::size_t total = 0, done = 0;
    for (const auto part : parts) total += part.size();
    for (auto part : parts)
      while (!part.empty()) {
        const ssize_t count = files_.write(file_, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0)
          throw_file_error(fmt::format("cannot write byte {} of {} of the file", done, total),
                           path_, count < 0 ? errno : EIO);
        part.remove_prefix(std::size_t(count));
        done += std::size_t(count);
      }
  }

  void to_disk() {
    if (files_.fsync(file_) != 0)
      throw_file_error("cannot bring to the disk (fsync)", path_, errno);
    const int file = std::exchange(file_, -1);  // whatever close says, the descriptor is gone
    if (files_.close(file) != 0 && errno != EINTR) throw_file_error("cannot close", path_, errno);
  }

  void move_into_place(const std::string& previous) {
    const bool moved = !previous.empty() && files_.rename(path_.c_str(), previous.c_str()) == 0;
    if (!previous.empty() && !moved && errno != ENOENT)
      throw_file_error("cannot rename to " + previous, path_, errno);
    if (files_.rename(name_.c_str(), path_.c_str()) != 0) {
      const int code = errno;
      if (moved) files_.rename(previous.c_str(), path_.c_str());
      throw_file_error("cannot rename to " + path_, name_, code);
    }
    kept_ = true;
  }

 private:
  FileSystem& files_;
  const std::string path_, name_;
  int file_ = -1;
  bool kept_ = false;
};

/// Makes renames in the folder of `path` survive a power cut. Some network disks cannot (EINVAL).
void fsync_folder(FileSystem& files, const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const int file = files.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (file < 0) throw_file_error("cannot open the folder", folder, errno);
  const int code = files.fsync(file) == 0 ? 0 : errno;
  files.close(file);
  if (code != 0 && code != EINVAL)
    throw_file_error("cannot bring to the disk (fsync)", folder, code);
}

}  // namespace

void throw_file_error(const std::string& attempt, const std::string& path, int code) {
  throw FileError(
      {fmt::format("{}: {} (errno {})", attempt, std::generic_category().message(code), code), path,
       remedy(code)});
}

void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      FileSystem& files, const std::string& previous) {
  {
    Draft draft(files, path);
    draft.write(parts);
    draft.to_disk();
    draft.move_into_place(previous);
  }
  fsync_folder(files, path);
}

void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      const std::string& previous) {
  FileSystem files;
  write_atomically(path, parts, files, previous);
}

std::string read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw_file_error("cannot open the file", path, errno);
  std::string bytes;
  struct stat status;
  if (::fstat(file, &status) == 0 && status.st_size > 0) bytes.reserve(std::size_t(status.st_size));
  std::vector<char> buffer(1 << 20);
  ssize_t count;
  while ((count = ::read(file, buffer.data(), buffer.size())) != 0) {
    if (count > 0) bytes.append(buffer.data(), std::size_t(count));
    if (count < 0 && errno != EINTR) break;
  }
  const int code = count < 0 ? errno : 0;
  ::close(file);
  if (code != 0) throw_file_error("cannot read the file", path, code);
  return bytes;
}

}  // namespace pinn
