#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace pinn {

/// The system calls by which a file reaches the disk, with the meaning that POSIX gives them
/// (-1 and errno on failure). The base is the real thing; tests put failing ones in its place.
struct FileSystem {
  virtual ~FileSystem() = default;
  virtual int open(const char* path, int flags, int mode);
  virtual ssize_t write(int file, const void* bytes, std::size_t count);
  virtual int fsync(int file);
  virtual int close(int file);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);
};

/// Puts a file in place of another so that at every moment, kill -9 or power cut included, the path
/// holds the old content or the new one, whole: write PATH.tmp, fsync, close, rename, fsync the
/// folder. With `previous` the old content stays under that name; then for an instant between two
/// renames only `previous` exists.
///
///   parts    written one after the other
///   errors   FileError with path, call, system's words and sizes; then the old content is intact
///            (under `path`, or at worst under `previous`) and PATH.tmp is removed if possible
void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      FileSystem& files, const std::string& previous = "");
void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      const std::string& previous = "");

/// The whole content of a file.
///
///   errors   FileError when it is missing, a folder, or cannot be read
std::string read_file(const std::string& path);

/// The FileError for a system call that failed with errno `code`: what was tried, on which path.
[[noreturn]] void throw_file_error(const std::string& attempt, const std::string& path, int code);

}  // namespace pinn
