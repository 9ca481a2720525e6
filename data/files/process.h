#pragma once
#include <string>
#include <vector>

namespace pinn {

/// A new folder among the temporary files of the system, gone at its end with all that is in it.
class OwnFolder {
 public:
  /// Errors: FileError.
  OwnFolder();
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// How a program ended.
struct ProgramEnd {
  bool found = false;  ///< it was started
  int code = -1;       ///< -1: a signal ended it
  std::string output;  ///< all that it wrote
};

/// Runs a program of PATH, without a shell and with nothing to read, and waits for its end.
///
///   output   a new file, which takes what it writes
///   errors   FileError
ProgramEnd run_program(const std::vector<std::string>& words, const std::string& output);

}  // namespace pinn
