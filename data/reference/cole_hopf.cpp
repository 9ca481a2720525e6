#include "data/reference/cole_hopf.h"

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

}  // namespace pinn
