#pragma once
#include <string>
#include <string_view>

/// The first of the instruction sets in `needed` that this processor lacks, or null when it has
/// them all. `needed` names them as the compiler's macros do, between spaces: "__AVX2__ __FMA__".
///
/// Every program is linked with the file behind this header, which asks that question before
/// anything else runs: a program built for another processor says so and exits with code 7, instead
/// of dying of an illegal instruction.
extern "C" const char* pinn_check_processor(const char* needed);

/// Those that the rest of the program is built for.
extern "C" const char* pinn_needed_instructions();

namespace pinn {

/// The program's version, "0.1.0", with "+" and the commit where git knew it: "0.1.0+9aed005".
std::string_view version();

/// The instruction set that macros of the compiler ("__AVX2__ __FMA__", as above) come to:
/// the highest level of the x86-64 psABI that they fill, then what goes beyond it, as in
/// "x86-64-v3 avx512f". By default the one that the program is built for. Programs of one
/// instruction set compute the same bits.
std::string instruction_set(std::string_view macros = pinn_needed_instructions());

}  // namespace pinn
