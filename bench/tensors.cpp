#include "bench/tensors.h"

#include <cmath>
#include <limits>

namespace pinn::bench {

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    if (!(d <= worst)) worst = d;  // keeps a NaN
  }
  return worst;
}

double largest(const std::vector<double>& a) {
  return distance(a, std::vector<double>(a.size(), 0.0));
}

}  // namespace pinn::bench
