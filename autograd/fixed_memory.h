#pragma once
#include <span>
#include <vector>

#include "autograd/program/program.h"

namespace pinn {

/// Fixed memory of a program with its constants, the fixed inputs in the order of Program::fixed,
/// and what the prologue makes of these: all that the points of a step read of it.
std::vector<double> fixed_memory(const Program& program,
                                 std::span<const std::span<const double>> inputs);

}  // namespace pinn
