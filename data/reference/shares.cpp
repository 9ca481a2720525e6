#include <algorithm>
#include <cmath>

#include "data/reference/solution.h"

namespace pinn {
namespace {

/// Unevenness that rounding in a text file may give an evenly spaced axis, as a share of the
/// spacing.
constexpr double unevenness = 1e-3;

/// The positions that points take along one coordinate, increasing.
std::vector<double> positions_along(std::span<const double> x, std::size_t coordinates,
                                    std::size_t i) {
  std::vector<double> axis;
  for (std::size_t n = i; n < x.size(); n += coordinates) axis.push_back(x[n]);
  std::sort(axis.begin(), axis.end());
  axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
  return axis;
}

/// The share of an axis that each of its positions stands for.
std::vector<double> shares_along(const std::vector<double>& axis) {
  const std::size_t n = axis.size();
  std::vector<double> shares(n, 1. / double(n));
  if (n < 3) return shares;
  const double length = axis.back() - axis.front(), even = length / double(n - 1);
  bool is_even = true;
  for (std::size_t i = 0; i + 1 < n; ++i)
    is_even = is_even && std::fabs(axis[i + 1] - axis[i] - even) < unevenness * even;
  for (std::size_t i = 0; i < n && !is_even; ++i) {
    const double left = i > 0 ? axis[i] - axis[i - 1] : 0,
                 right = i + 1 < n ? axis[i + 1] - axis[i] : 0;
    shares[i] = (left + right) / 2 / length;
  }
  return shares;
}

}  // namespace

std::vector<double> shares_of(std::span<const double> x, std::size_t coordinates) {
  const std::size_t count = x.size() / coordinates;
  std::vector<std::vector<double>> axes, along;
  double nodes = 1;
  for (std::size_t i = 0; i < coordinates; ++i) {
    axes.push_back(positions_along(x, coordinates, i));
    along.push_back(shares_along(axes.back()));
    nodes *= double(axes.back().size());
  }
  const std::vector<double> equal(count, 1. / double(count));
  if (nodes != double(count)) return equal;
  std::vector<bool> taken(count);
  std::vector<double> shares(count, 1);
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t node = 0;
    for (std::size_t i = 0; i < coordinates; ++i) {
      const auto at =
          std::size_t(std::lower_bound(axes[i].begin(), axes[i].end(), x[n * coordinates + i]) -
                      axes[i].begin());
      node = node * axes[i].size() + at;
      shares[n] *= along[i][at];
    }
    if (taken[node]) return equal;  // as many points as nodes, but some twice
    taken[node] = true;
  }
  return shares;
}

}  // namespace pinn
