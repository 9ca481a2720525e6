#pragma once
#include "autograd/tape/tensor.h"
#include "tests/autograd/tape/random_program.h"

namespace pinn::test {

/// The result of a program on tensors; its first tensor is z.
Tensor run_program(const RandomProgram& program, const Tensor& z);

}  // namespace pinn::test
