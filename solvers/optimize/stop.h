#pragma once
#include <string>

namespace pinn {

// Why no further move can be made from a point; empty when one can.

// `largest` is the magnitude of the gradient's largest component; NaN if any is.

/// "loss is not finite (nan)" or "gradient is not finite".
std::string not_finite(double value, double largest);
/// "gradient is zero" or "gradient below tolerance: largest component 2e-9 < 1e-8".
std::string small_gradient(double largest, double tolerance);

}  // namespace pinn
