#pragma once
#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace pinn::test {

/// The problem files that come with the program, in the order of the alphabet.
inline std::vector<std::string> shipped_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(PINN_SOURCE_DIR "/configs"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  if (files.empty()) throw std::runtime_error("configs/ holds no problem files");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pinn::test
