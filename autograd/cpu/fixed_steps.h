#pragma once
#include <span>

#include "autograd/program/program.h"

namespace pinn::cpu {

/// Runs elementwise instructions on what is the same for all points: once per step, in float64.
void run_fixed(std::span<const Instruction> instructions, std::span<double> fixed,
               std::span<double> sums);

}  // namespace pinn::cpu
