#include "data/files/held_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace pinn {
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
int HeldFolder::fsync(int file) { return files_.fsync(file); }
int HeldFolder::truncate(int file, off_t size) { return files_.truncate(file, size); }
int HeldFolder::close(int file) { return files_.close(file); }
int HeldFolder::rename(int folder, const char* from, const char* to) {
  return files_.rename(folder, from, to);
}
int HeldFolder::unlink(int folder, const char* name) { return files_.unlink(folder, name); }

}  // namespace pinn
