#pragma once

/// The first of the instruction sets in `needed` that this processor lacks, or null when it has
/// them all. `needed` names them as the compiler's macros do, between spaces: "__AVX2__ __FMA__".
///
/// Every program is linked with the file behind this header, which asks that question before
/// anything else runs: a program built for another processor says so and exits with code 7, instead
/// of dying of an illegal instruction.
extern "C" const char* pinn_check_processor(const char* needed);

/// Those that the rest of the program is built for.
extern "C" const char* pinn_needed_instructions();
