#pragma once
#include <span>
#include <string_view>

namespace pinn {

/// An op of the language on plain numbers, one per input.
using Operation = double (*)(const double*);

/// The formula of the op of that name and number of inputs, from autograd/ops.
///
///   errors   InternalError when there is no such op
Operation operation(std::string_view op, std::size_t inputs);

/// The same, applied.
double op_value(std::string_view op, std::span<const double> inputs);

}  // namespace pinn
