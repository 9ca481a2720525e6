#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/larger.h"

namespace pinn::test {

/// The numbers of each output of a program.
using Outputs = std::vector<std::vector<double>>;

/// True if two numbers are the same, or both not a number.
inline bool alike(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The largest difference, relative to the largest finite number of that output if that is above 1;
/// infinite where sizes differ, or what is not finite.
inline double distance(const Outputs& a, const Outputs& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t o = 0; o < a.size(); ++o) {
    if (a[o].size() != b[o].size()) return INFINITY;
    double scale = 1, error = 0;
    for (std::size_t k = 0; k < a[o].size(); ++k) {
      if (alike(a[o][k], b[o][k])) continue;
      if (!std::isfinite(a[o][k]) || !std::isfinite(b[o][k])) return INFINITY;
      error = larger(error, std::fabs(a[o][k] - b[o][k]));
    }
    for (const double x : b[o])
      if (std::isfinite(x)) scale = larger(scale, std::fabs(x));
    most = larger(most, error / scale);
  }
  return most;
}

}  // namespace pinn::test
