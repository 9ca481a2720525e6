#pragma once
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The lines of a file made by tests/golden/golden.py, cut into words; comments are left out.
inline std::vector<std::vector<std::string>> golden_lines(const std::string& file) {
  std::ifstream in(std::string(PINN_SOURCE_DIR) + "/tests/golden/" + file);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    auto& row = lines.emplace_back();
    for (std::string word; words >> word;) row.push_back(word);
  }
  if (lines.empty()) throw std::runtime_error("tests/golden/" + file + " holds no numbers");
  return lines;
}
