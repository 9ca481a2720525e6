#include "data/reference/lorenz.h"

namespace pinn {
namespace {

/// The state a time h later, by its Taylor series: coefficient n + 1 follows from those up to n,
/// products being sums over pairs (Cauchy).
Vector3 taylor_step(const Lorenz& lorenz, const Vector3& start, long double h, int order) {
  std::vector<long double> x{start[0]}, y{start[1]}, z{start[2]};
  for (int n = 0; n < order; ++n) {
    long double xz = 0, xy = 0;
    for (int j = 0; j <= n; ++j) {
      xz += x[j] * z[n - j];
      xy += x[j] * y[n - j];
    }
    x.push_back(lorenz.sigma * (y[n] - x[n]) / (n + 1));
    y.push_back((lorenz.rho * x[n] - xz - y[n]) / (n + 1));
    z.push_back((xy - lorenz.beta * z[n]) / (n + 1));
  }
  const auto sum = [&](const std::vector<long double>& c) {
    long double s = 0;
    for (int n = order; n >= 0; --n) s = s * h + c[n];
    return s;
  };
  return {sum(x), sum(y), sum(z)};
}

}  // namespace

std::vector<Vector3> solve_lorenz(const Lorenz& lorenz, const Vector3& start,
                                  const std::vector<double>& times, int order, int steps) {
  std::vector<Vector3> path{start};
  for (std::size_t i = 1; i < times.size(); ++i) {
    const long double h = (static_cast<long double>(times[i]) - times[i - 1]) / steps;
    Vector3 state = path.back();
    for (int step = 0; step < steps; ++step) state = taylor_step(lorenz, state, h, order);
    path.push_back(state);
  }
  return path;
}

}  // namespace pinn
