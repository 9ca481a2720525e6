#pragma once
#include <filesystem>
#include <string>

namespace pinn::cuda {

/// A folder of files that nobody but this user can have written: the folder and every file in it
/// belong to him, and neither group nor others may write to them. What is otherwise is as if it
/// were not there. It is only a cache: what fails here costs time later.
class KernelFolder {
 public:
  /// An empty path is no folder.
  explicit KernelFolder(std::filesystem::path path);

  /// The content of a file; empty when there is none, or none to be trusted.
  std::string read(const std::string& name) const;

  /// Puts a file there, under another name first: nobody ever reads half of it. Makes the folder.
  void write(const std::string& name, const std::string& content) const;

 private:
  const std::filesystem::path path_;
};

}  // namespace pinn::cuda
