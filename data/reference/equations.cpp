#include "data/reference/equations.h"

#include <cmath>
#include <numbers>

namespace pinn {

double cole_hopf(double x, double t, double nu, int nodes) {
  // Long doubles: an exponent of 50 would cost the last two digits of a double.
  constexpr long double pi = std::numbers::pi_v<long double>;
  if (t <= 0) return double(-std::sin(pi * x));

  // With y = x + sqrt(4 nu t) s the weight is exp(-s^2 - cos(pi y) / (2 pi nu)). The second
  // exponent varies by 2 / (2 pi nu) at most, so beyond |s| = reach nothing is left.
  const long double scale = std::sqrt(4.0L * nu * t), peak = 1 / (2 * pi * nu);
  const long double reach = std::sqrt(2 * peak + 60);
  long double above = 0, below = 0;
  for (int i = 0; i < nodes; ++i) {
    const long double s = reach * (2 * (i + 0.5L) / nodes - 1), y = x + scale * s;
    const long double w = std::exp(-s * s - peak * (std::cos(pi * y) + 1));
    above += w * std::sin(pi * y);
    below += w;
  }
  return double(-above / below);
}

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
