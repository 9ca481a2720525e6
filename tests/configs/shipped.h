#pragma once
#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace pinn::test {

/// The problem files of a folder of the source tree, in the order of the alphabet.
inline std::vector<std::string> problem_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PINN_SOURCE_DIR "/") + folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  if (files.empty()) throw std::runtime_error("configs/ holds no problem files");
  std::sort(files.begin(), files.end());
  return files;
}

/// Those that come with the program.
inline std::vector<std::string> shipped_files() { return problem_files("configs"); }

/// True if its steps run on a GPU, which looks up no fields in tables yet.
inline bool runs_on_gpu(const std::string& file) { return !file.ends_with("/nonlinear_heat.toml"); }

}  // namespace pinn::test
