#pragma once
#include <string>
#include <string_view>

#include "data/files/disk.h"

namespace pinn {

/// A file that grows by whole pieces: each is put there by a single write(2), so that who reads it
/// meanwhile sees whole ones. What a disk took but a part of is completed or taken back; the worst
/// that a kill leaves is one torn piece at the end.
class AppendedFile {
 public:
  /// Opens a file that is there. Errors: FileError.
  AppendedFile(const std::string& path, FileSystem& files);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;

  /// Errors: FileError; then no part of the piece is there.
  void append(std::string_view piece);

 private:
  const std::string path_;
  FileSystem& files_;
  const int file_;
};

}  // namespace pinn
