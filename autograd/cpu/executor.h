#pragma once
#include "autograd/program/executor.h"

namespace pinn::cpu {

/// Runs a program on the CPU.
std::unique_ptr<Executor> make_executor(Program program);

}  // namespace pinn::cpu
