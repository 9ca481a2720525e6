#pragma once
#include <fmt/format.h>

#include <map>

#include "tests/solvers/problem/texts.h"

/// Shapes that are spelled as formulas, beside the same with numbers.
namespace pinn {

using Arguments = std::map<std::string, std::vector<double>>;
using Texts = std::map<std::string, std::vector<std::string>>;

inline Texts texts_of(const Arguments& arguments) {
  Texts texts;
  for (const auto& [name, numbers] : arguments)
    for (double number : numbers) texts[name].push_back(fmt::format("{}", number));
  return texts;
}

/// x, y, z in (-1, 1), and the time.
inline Problem space() {
  Problem p;
  for (const char* name : {"x", "y", "z"}) p.coordinates.push_back({name, -1, 1, Role::space, ""});
  p.coordinates.push_back({"t", 0, 1, Role::time, ""});
  return p;
}

inline const std::vector<std::string> names{"x", "y", "z"};

}  // namespace pinn
