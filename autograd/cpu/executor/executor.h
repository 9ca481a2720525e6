#pragma once
#include "autograd/program/executor.h"

namespace pinn::cpu {

/// Runs a program on the CPU, block by block. With Products::bf16x3, large products of a float32
/// program run on the processor's tile unit (amx.h) if it has one.
std::unique_ptr<Executor> make_executor(Program program, Products products = Products::exact);

}  // namespace pinn::cpu
