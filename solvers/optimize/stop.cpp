#include "solvers/optimize/stop.h"

#include <fmt/format.h>

#include <cmath>

#include "solvers/optimize/vector.h"

namespace pinn {

std::string not_finite(double value, const Tensor& gradient) {
  if (!std::isfinite(value)) return fmt::format("loss is not finite ({})", value);
  if (!std::isfinite(largest(gradient))) return "gradient is not finite";
  return {};
}

std::string small_gradient(const Tensor& gradient, double tolerance) {
  const double size = largest(gradient);
  if (size == 0) return "gradient is zero";
  if (size >= tolerance) return {};
  return fmt::format("gradient below tolerance: largest component {:.3g} < {:.3g}", size,
                     tolerance);
}

}  // namespace pinn
