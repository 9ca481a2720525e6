#include "data/files/disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <system_error>

#include "autograd/core/sha256.h"

namespace pinn {

int FileSystem::open_folder(const char* path) {
  return ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
int FileSystem::open(int folder, const char* name, int flags, int mode) {
  return ::openat(folder, name, flags, mode);
}
ssize_t FileSystem::write(int file, const void* bytes, std::size_t count) {
  return ::write(file, bytes, count);
}
off_t FileSystem::seek(int file, off_t to) { return ::lseek(file, to, SEEK_SET); }
int FileSystem::fsync(int file) { return ::fsync(file); }
int FileSystem::truncate(int file, off_t size) { return ::ftruncate(file, size); }
int FileSystem::close(int file) { return ::close(file); }
int FileSystem::rename(int folder, const char* from, const char* to) {
  return ::renameat(folder, from, folder, to);
}
int FileSystem::unlink(int folder, const char* name) { return ::unlinkat(folder, name, 0); }

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
      return "give yourself the right to do that there, or write elsewhere with --out";
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
      return "check the spelling of the path";
    case ELOOP:
      return "a link stands where a file of ours belongs: remove it";
    case EMFILE:
    case ENFILE:
      return "close other programs, or raise the limit on open files (ulimit -n)";
    case EIO:
      return "look for a failing disk or network in `dmesg`, or write elsewhere with --out";
    default:
      return "check the disk and the path";
  }
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The folder of a file, open.
class ParentFolder {
 public:
  ParentFolder(FileSystem& files, const std::string& path)
      : files_(files), path_(std::filesystem::path(path).parent_path().string()) {
    if (path_.empty()) path_ = ".";
    folder_ = again([&] { return files_.open_folder(path_.c_str()); });
    if (folder_ < 0) throw_file_error("cannot open the folder", path_, errno);
  }
  ~ParentFolder() { files_.close(folder_); }
  ParentFolder(const ParentFolder&) = delete;

  int descriptor() const { return folder_; }

  /// Makes renames in it survive a power cut. Some network disks cannot (EINVAL).
  void to_disk() {
    if (again([&] { return files_.fsync(folder_); }) != 0 && errno != EINVAL)
      throw_file_error("cannot bring to the disk (fsync)", path_, errno);
  }

 private:
  FileSystem& files_;
  std::string path_;
  int folder_ = -1;
};

/// Refuses to put a file in place of a device or a pipe, or of a link that stands for one, as
/// /dev/stdout does.
void require_replaceable(int folder, const std::string& path) {
  const std::string name = file_name(path);
  char leads_to[64] = {};
  struct stat status;
  const bool in_proc = ::readlinkat(folder, name.c_str(), leads_to, sizeof leads_to - 1) > 0 &&
                       std::string_view(leads_to).starts_with("/proc/");
  const bool plain = ::fstatat(folder, name.c_str(), &status, 0) != 0 || S_ISREG(status.st_mode) ||
                     S_ISDIR(status.st_mode);
  if (in_proc || !plain)
    throw FileError({"a device or a pipe stands there, which no file may replace", path,
                     "name a file of your own"});
}

[[noreturn]] void refuse_to_read(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) throw_file_error("cannot read the file", path, EISDIR);
  throw FileError({"this is a device or a pipe and no file", path, "name a file"});
}

}  // namespace

void throw_file_error(const std::string& attempt, const std::string& path, int code) {
  throw FileError(
      {fmt::format("{}: {} (errno {})", attempt, std::generic_category().message(code), code), path,
       remedy(code)});
}

void write_atomically(const std::string& path, const std::function<void(Draft&)>& write,
                      FileSystem& files, const std::string& previous) {
  ParentFolder folder(files, path);
  require_replaceable(folder.descriptor(), path);
  {
    Draft draft(files, folder.descriptor(), path);
    write(draft);
    draft.to_disk();
    draft.move_into_place(file_name(previous));
  }
  folder.to_disk();
}

void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      FileSystem& files, const std::string& previous) {
  write_atomically(
      path, [&](Draft& draft) { draft.write(parts); }, files, previous);
}

void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      const std::string& previous) {
  FileSystem files;
  write_atomically(path, parts, files, previous);
}

int open_to_append(const std::string& path, FileSystem& files) {
  const ParentFolder folder(files, path);
  constexpr int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const std::string name = file_name(path);
  const int file = again([&] { return files.open(folder.descriptor(), name.c_str(), flags, 0); });
  if (file < 0) throw_file_error("cannot open the file", path, errno);
  return file;
}

void require_plain(int file, const std::string& path) {
  struct stat status = {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return;
  ::close(file);
  refuse_to_read(path, status.st_mode);
}

OpenFile::OpenFile(const std::string& path)
    // A pipe would make the call wait for its writer.
    : path_(path),
      file_(again([&] { return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); })) {
  if (file_ < 0) throw_file_error("cannot open the file", path, errno);
  require_plain(file_, path);
  struct stat status = {};
  if (::fstat(file_, &status) != 0) throw_file_error("cannot tell the size", path, errno);
  size_ = std::uint64_t(std::max<off_t>(0, status.st_size));
}

OpenFile::~OpenFile() { ::close(file_); }

bool OpenFile::is_in_place() const {
  struct stat here = {}, there = {};
  return ::fstat(file_, &here) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

void OpenFile::read(const TakeBytes& take) const {
  std::vector<char> buffer(1 << 16);
  for (off_t at = 0;;) {
    const ssize_t count = again([&] { return ::pread(file_, buffer.data(), buffer.size(), at); });
    if (count == 0) return;
    if (count < 0) throw_file_error("cannot read the file", path_, errno);
    take({buffer.data(), std::size_t(count)});
    at += count;
  }
}

std::string OpenFile::beginning(std::size_t most) const {
  std::string bytes(std::size_t(std::min<std::uint64_t>(most, size_)), '\0');
  const ssize_t count = again([&] { return ::pread(file_, bytes.data(), bytes.size(), 0); });
  if (count < 0) throw_file_error("cannot read the file", path_, errno);
  bytes.resize(std::size_t(count));
  return bytes;
}

std::string read_file(const std::string& path, std::uint64_t most, const std::string& fix) {
  const auto require = [&](std::uint64_t size) {
    if (size > most)
      throw FileError(
          {fmt::format("the file has {} bytes; it may have {}", size, most), path, fix});
  };
  const OpenFile file(path);
  require(file.size());
  std::string bytes;
  bytes.reserve(file.size());
  file.read([&](std::string_view piece) {
    require(bytes.size() + piece.size());  // it may grow
    bytes += piece;
  });
  return bytes;
}

std::string read_file(const std::string& path) {
  return read_file(path, std::numeric_limits<std::uint64_t>::max(), "");
}

void require_plain_file(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    refuse_to_read(path, status.st_mode);
}

std::string read_small_file(const std::string& path) {
  return read_file(path, 1 << 24, "no program of ours wrote it: move it away");
}

std::string file_hash(const std::string& path) {
  Sha256 sum;
  OpenFile(path).read([&](std::string_view piece) { sum.add(piece); });
  return sum.hex();
}

bool is_there(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw_file_error("cannot look for the file", path, errno);
}

}  // namespace pinn
