#pragma once
#include "autograd/core/ranks.h"

namespace pinn {

/// Runs a program as one rank of those that an MPI launcher started, and alone where none did;
/// gives the exit code. A rank that fails tells the others, which end within seconds; where one is
/// silent for longer than their patience, they say which, and MPI ends them all with code 9.
int run_on_ranks(int argc, char** argv, int (*program)(int argc, char** argv, Ranks& ranks));

}  // namespace pinn
