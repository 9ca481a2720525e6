#pragma once
#include "tests/autograd/torch/calls.h"

namespace pinn::test {

/// The finding of one way to a derivative: tensors, or why it was refused.
struct Found {
  std::string way;
  std::vector<Tensor> tensors = {};
  std::string refused = {};
};

/// The values of a program, the gradient of its results with seeds, the tangents of its results
/// along directions, and the derivative of the gradient along them: reverse over reverse, forward
/// over reverse, and reverse over forward.
std::vector<Found> found_by_all_ways(const CallProgram& program);

}  // namespace pinn::test
