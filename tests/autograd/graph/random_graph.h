#pragma once
#include "tests/autograd/graph/evaluate.h"

namespace pinn::test {

/// A graph of random ops, and inputs to run it on.
struct Sample {
  Graph graph;
  Inputs inputs;
  std::int64_t points;
  double tolerance;  ///< for outputs, relative to the largest number anywhere in the graph
};

/// The same sample for the same number. About one in four casts to float32 and back.
Sample random_sample(std::uint64_t number);

}  // namespace pinn::test
