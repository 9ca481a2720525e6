#include "solvers/optimize/schedule.h"

#include <fmt/format.h>

#include <cmath>

namespace pinn {

std::string not_finite(double value, double largest) {
  if (!std::isfinite(value)) return fmt::format("loss is not finite ({})", value);
  if (!std::isfinite(largest)) return "gradient is not finite";
  return {};
}

std::string small_gradient(double largest, double tolerance) {
  if (largest == 0) return "gradient is zero";
  if (largest >= tolerance) return {};
  return fmt::format("gradient below tolerance: largest component {:.3g} < {:.3g}", largest,
                     tolerance);
}

}  // namespace pinn
