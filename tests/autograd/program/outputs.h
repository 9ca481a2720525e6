#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace pinn::test {

/// The numbers of each output of a program.
using Outputs = std::vector<std::vector<double>>;

/// The largest difference, relative to the largest number of that output if that is above 1;
/// infinite where sizes or not-a-numbers differ.
inline double distance(const Outputs& a, const Outputs& b) {
  double most = 0;
  for (std::size_t o = 0; o < a.size(); ++o) {
    if (a[o].size() != b[o].size()) return INFINITY;
    double scale = 1, error = 0;
    for (std::size_t k = 0; k < a[o].size(); ++k) {
      scale = std::max(scale, std::fabs(b[o][k]));
      error = std::max(error, std::fabs(a[o][k] - b[o][k]));
      if (std::isnan(a[o][k]) != std::isnan(b[o][k])) return INFINITY;
    }
    most = std::max(most, error / scale);
  }
  return most;
}

}  // namespace pinn::test
