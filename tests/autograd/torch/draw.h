#pragma once
#include "tests/autograd/torch/calls.h"

namespace pinn::test {

/// The same program for the same seed and number. Its values stay of moderate size, and away from
/// poles; at a kink they are either on the point or well off it. A wild one starts from zeros and
/// infinities and goes anywhere.
CallProgram drawn_program(std::uint64_t seed, std::uint64_t number, bool is_wild = false);

}  // namespace pinn::test
