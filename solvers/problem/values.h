#pragma once
#include <span>
#include <string_view>

namespace pinn {

/// The value of an op of the language, from the formulas in autograd/ops.
///
///   errors   InternalError when there is no such op
double op_value(std::string_view op, std::span<const double> inputs);

}  // namespace pinn
