#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/sampling/sequence.h"

namespace pinn {

double in_stratum(std::uint64_t k, std::uint64_t n, double u) {
  const double size = static_cast<double>(n);
  const double lower = static_cast<double>(k) / size;
  const double upper = static_cast<double>(k + 1) / size;
  return std::clamp((static_cast<double>(k) + u) / size, std::nextafter(lower, 1.0),
                    std::nextafter(upper, 0.0));
}

std::vector<std::uint32_t> permutation(std::uint32_t n, const Random& random) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = n; i > 1; --i)  // Fisher and Yates
    std::swap(order[i - 1], order[static_cast<std::uint32_t>(random.uniform(i) * i)]);
  return order;
}

std::vector<double> uniform_points(int count, int dimension, const Random& random) {
  std::vector<double> x(std::size_t(count) * dimension);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.uniform(i);
  return x;
}

std::vector<int> grid_shape(int count, int dimension) {
  const auto cells = [&](std::int64_t n, int enlarged) {
    std::int64_t product = 1;
    for (int a = 0; a < dimension && product <= count; ++a) product *= a < enlarged ? n + 1 : n;
    return product;
  };
  std::int64_t n = dimension == 1 ? count : 1;
  while (cells(n + 1, 0) <= count) ++n;
  int enlarged = 0;
  while (cells(n, enlarged + 1) <= count) ++enlarged;

  std::vector<int> shape(dimension, static_cast<int>(n));
  for (int a = 0; a < enlarged; ++a) ++shape[a];
  return shape;
}

std::vector<double> grid_points(int count, int dimension, const Random&) {
  const std::vector<int> shape = grid_shape(count, dimension);
  const auto cells =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  std::vector<double> x(cells * dimension);
  for (std::size_t i = 0; i < cells; ++i) {
    std::size_t rest = i;
    for (int a = dimension - 1; a >= 0; --a) {
      x[i * dimension + a] = (static_cast<double>(rest % shape[a]) + 0.5) / shape[a];
      rest /= shape[a];
    }
  }
  return x;
}

std::vector<double> lhs_points(int count, int dimension, const Random& random) {
  std::vector<double> x(std::size_t(count) * dimension);
  for (int a = 0; a < dimension; ++a) {
    const auto order = permutation(count, random.child(2 * a));
    const Random place = random.child(2 * a + 1);
    for (int i = 0; i < count; ++i)
      x[std::size_t(i) * dimension + a] = in_stratum(order[i], count, place.uniform(i));
  }
  return x;
}

}  // namespace pinn
