#pragma once
#include <string>
#include <string_view>

#include "autograd/core/processor.h"

namespace pinn {

/// The instruction set that macros of the compiler ("__AVX2__ __FMA__", as in processor.h) come to:
/// the highest level of the x86-64 psABI that they fill, then what goes beyond it, as in
/// "x86-64-v3 avx512f". By default the one that the program is built for. Programs of one
/// instruction set compute the same bits.
std::string instruction_set(std::string_view macros = pinn_needed_instructions());

}  // namespace pinn
