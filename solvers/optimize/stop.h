#pragma once
#include <string>

#include "autograd/tape/tensor.h"

namespace pinn {

// Why no further move can be made from a point; empty when one can.

/// "loss is not finite (nan)" or "gradient is not finite".
std::string not_finite(double value, const Tensor& gradient);
/// "gradient is zero" or "gradient below tolerance: largest component 2e-9 < 1e-8".
std::string small_gradient(const Tensor& gradient, double tolerance);

}  // namespace pinn
