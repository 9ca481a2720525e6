#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

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

/// Machine code of kernels that are built while the program runs, in memory and in a folder that
/// the programs of one user share. An entry is of one text, architecture, program version and
/// compiler version, all of which it holds, with the SHA-256 of it all; what is damaged, something
/// else, or may have been written by another user is built anew and replaced. Where nothing can be
/// written, or others may write, code is kept in memory alone.
class KernelCache {
 public:
  /// An empty folder is none.
  explicit KernelCache(std::filesystem::path folder = default_folder());

  /// $XDG_CACHE_HOME/pinn, or ~/.cache/pinn; empty where neither is known.
  static std::filesystem::path default_folder();

  /// The cubin of a text for an architecture (90 for compute capability 9.0). Errors: those of
  /// compile.
  std::string built(const std::string& text, int architecture);

  /// How many texts were compiled, not found.
  int compilations() const;

 private:
  std::string find(const std::string& key) const;
  void keep(const std::string& key, const std::string& cubin) const;

  const KernelFolder folder_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> cubins_;  // by key
  int compilations_ = 0;
};

}  // namespace pinn::cuda
