#pragma once
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/core/error.h"

namespace pinn {

/// The system calls by which a file reaches the disk, with the meaning that POSIX gives them
/// (-1 and errno on failure). A file is named by an open folder and its name in it, so that what
/// becomes of the folder's own name in the meantime changes nothing. The base is the real thing;
/// tests put failing ones in its place.
struct FileSystem {
  virtual ~FileSystem() = default;
  virtual int open_folder(const char* path);
  virtual int open(int folder, const char* name, int flags, int mode);  ///< openat
  virtual ssize_t write(int file, const void* bytes, std::size_t count);
  virtual off_t seek(int file, off_t to);  ///< lseek, from the beginning
  virtual int fsync(int file);
  virtual int truncate(int file, off_t size);
  virtual int close(int file);
  virtual int rename(int folder, const char* from, const char* to);  ///< in one folder
  virtual int unlink(int folder, const char* name);
};

/// Makes a call of the system once more for as long as signals interrupt it.
template <class Call> auto again(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Takes the bytes of a file one piece after the other.
using TakeBytes = std::function<void(std::string_view piece)>;
/// Gives all bytes of a file that no memory has to hold at once.
using GiveBytes = std::function<void(const TakeBytes& take)>;

class Draft;

/// Puts a file in place of another so that at every moment, kill -9 or power cut included, the path
/// holds the old content or the new one, whole: write a Draft beside it, fsync, close,
/// rename, fsync the folder. With `previous` the old content stays under that name; then for an
/// instant between two renames only `previous` exists. A link at `path` is replaced, not followed.
///
///   parts     written one after the other
///   previous  a path in the same folder
///   errors    FileError with path, call, system's words and sizes; then the old content is intact
///             (under `path`, or at worst under `previous`) and the draft is removed if possible;
///             also where a device or a pipe stands at `path`: it is not replaced
void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      FileSystem& files, const std::string& previous = "");
void write_atomically(const std::string& path, const std::vector<std::string_view>& parts,
                      const std::string& previous = "");
/// The same of what `write` writes into the draft.
void write_atomically(const std::string& path, const std::function<void(Draft&)>& write,
                      FileSystem& files, const std::string& previous);

/// Opens a file of ours to append to it; it has to be there, and no link.
///
///   errors   FileError
int open_to_append(const std::string& path, FileSystem& files);

/// The whole content of a file.
///
///   errors   FileError when it is missing, cannot be read, or is none: a folder, a pipe, a device
std::string read_file(const std::string& path);
/// The same of a file that has at most so many bytes: of another one none is read.
///
///   errors   FileError, which says how many it has; `fix` is how to mend that
std::string read_file(const std::string& path, std::uint64_t most, const std::string& fix);
/// The same of what our programs write about themselves: at most 16 MiB.
std::string read_small_file(const std::string& path);

/// A file that is open to be read: the same one, whatever its path comes to name.
///
///   errors   as of read_file
class OpenFile {
 public:
  explicit OpenFile(const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;

  const std::string& name() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// True if its path still leads to it.
  bool is_in_place() const;
  /// All of it.
  void read(const TakeBytes& take) const;
  /// As many of its first bytes as there are, up to `most`.
  std::string beginning(std::size_t most) const;

 private:
  const std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

/// The SHA-256 of a file, for provenance: `sha256sum FILE` gives the same.
///
///   errors   FileError when the file cannot be read
std::string file_hash(const std::string& path);

/// Refuses a pipe or a device, which would keep its reader waiting.
///
///   errors   FileError; for a path where nothing is, none
void require_plain_file(const std::string& path);
/// The same of a file that is open; it is closed where it is refused.
void require_plain(int file, const std::string& path);

/// True if something stands there, be it a link that leads nowhere.
///
///   errors   FileError when that cannot be told
bool is_there(const std::string& path);

/// The FileError for a system call that failed with errno `code`: what was tried, on which path.
[[noreturn]] void throw_file_error(const std::string& attempt, const std::string& path, int code);

/// A file being written under a name that no other file has, NAME.pinn-0123456789abcdef.tmp; gone
/// again unless it was moved into place. It is created and never opened, so what another process
/// put into the folder, a link for instance, is not written through. Its writer keeps it locked.
///
///   errors   FileError, which names the path of the file that it is to become
class Draft {
 public:
  Draft(FileSystem& files, int folder, const std::string& path);
  ~Draft();
  Draft(const Draft&) = delete;

  void write(const std::vector<std::string_view>& parts);
  /// In place of as many bytes at its beginning; nothing can be written behind them any more.
  void write_beginning(std::string_view bytes);
  void to_disk();
  /// With a name for `previous` what stood there is renamed to that first.
  void move_into_place(const std::string& previous);

 private:
  FileSystem& files_;
  const int folder_;
  const std::string path_, target_;
  std::string name_;
  int file_ = -1;
  std::size_t written_ = 0;
  bool kept_ = false;
};

/// Removes the drafts that interrupted writes of files of these names left in a folder, and returns
/// their names. A draft that is locked is still being written, and stays; so does all that has
/// another name, or is no plain file.
std::vector<std::string> remove_drafts(int folder, const std::vector<std::string>& files);

/// A file system in which one folder stays the same, wherever its path leads by now: what is
/// written to files in it goes there, be the folder moved and another one put in its place.
class HeldFolder : public FileSystem {
 public:
  /// Errors: FileError when it cannot be opened.
  HeldFolder(const std::string& path, FileSystem& files);
  ~HeldFolder() override;
  HeldFolder(const HeldFolder&) = delete;

  int descriptor() const { return folder_; }

  int open_folder(const char* path) override;
  int open(int folder, const char* name, int flags, int mode) override;
  ssize_t write(int file, const void* bytes, std::size_t count) override;
  off_t seek(int file, off_t to) override;
  int fsync(int file) override;
  int truncate(int file, off_t size) override;
  int close(int file) override;
  int rename(int folder, const char* from, const char* to) override;
  int unlink(int folder, const char* name) override;

 private:
  const std::string path_;
  FileSystem& files_;
  const int folder_;
};

}  // namespace pinn
