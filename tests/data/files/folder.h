#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

/// An empty folder of its own for one test, gone afterwards.
struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pinn-test-XXXXXX").string();
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
