#pragma once
#include "tests/autograd/torch/calls.h"

namespace pinn::test {

/// Every op alone at every special point: zeros of both signs, infinities, NaN, the smallest and
/// the largest numbers, ties. Ops of two numbers also with either of them a constant.
std::vector<CallProgram> programs_at_special_points();

}  // namespace pinn::test
