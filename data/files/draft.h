#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "data/files/disk.h"

namespace pinn {

/// A file being written under a name that no other file has, NAME.pinn-0123456789abcdef.tmp; gone
/// again unless it was moved into place. It is created and never opened, so what somebody else put
/// into the folder, a link for instance, is not written through. Its writer keeps it locked.
///
///   errors   FileError, which names the path of the file that it is to become
class Draft {
 public:
  Draft(FileSystem& files, int folder, const std::string& path);
  ~Draft();
  Draft(const Draft&) = delete;

  void write(const std::vector<std::string_view>& parts);
  void to_disk();
  /// With a name for `previous` what stood there is renamed to that first.
  void move_into_place(const std::string& previous);

 private:
  FileSystem& files_;
  const int folder_;
  const std::string path_, target_;
  std::string name_;
  int file_ = -1;
  bool kept_ = false;
};

/// Removes the drafts that interrupted writes of files of these names left in a folder, and returns
/// their names. A draft that is locked is still being written, and stays; so does all that has
/// another name, or is no plain file.
std::vector<std::string> remove_drafts(int folder, const std::vector<std::string>& files);

}  // namespace pinn
