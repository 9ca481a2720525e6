#pragma once
#include <span>

#include "autograd/program/program.h"

namespace pinn {

/// Copies the fixed inputs, in the order of Program::fixed, to their places in fixed memory of
/// Program::fixed_size numbers; sets `changed`, one per input, where other bits stood there.
/// Errors: InternalError for one of another length.
void put_fixed_inputs(const Program& program, std::span<const std::span<const double>> inputs,
                      double* fixed, std::span<char> changed = {});

}  // namespace pinn
