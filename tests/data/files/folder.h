#pragma once
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/// An empty folder of its own for one test, gone afterwards; in memory where the system has such a
/// place, because there fsync takes no time.
struct Folder {
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK) == 0;
    std::string pattern =
        ((usable ? memory : std::filesystem::temp_directory_path()) / "pinn-test-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return path + "/" + name; }

  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
    return *this / name;
  }

  std::string path;
};

/// The names in a folder of files that are being written, or that an interrupted write left.
inline std::vector<std::string> drafts(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tmp") names.push_back(entry.path().filename().string());
  return names;
}
