#pragma once
#include "autograd/graph/graph.h"

namespace pinn::test {

/// The graph with some of its values, rows and fixed ones, rounded for some of those that use them.
/// The same for the same number.
Graph rounded(const Graph& graph, std::uint64_t number);

}  // namespace pinn::test
