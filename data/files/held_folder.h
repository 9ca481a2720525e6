#pragma once
#include <string>

#include "data/files/disk.h"

namespace pinn {

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
