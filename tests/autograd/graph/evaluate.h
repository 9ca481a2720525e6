#pragma once
#include <map>
#include <string>
#include <vector>

#include "autograd/graph/graph.h"
#include "autograd/tape/tensor.h"

namespace pinn::test {

/// Inputs of a graph, by name.
using Inputs = std::map<std::string, Tensor>;

/// All values of a graph, for that many points, op by op on eager tensors: the definition of what a
/// graph computes.
std::vector<Tensor> values_of(const Graph& graph, const Inputs& inputs, std::int64_t points);

/// The outputs among them.
std::vector<Tensor> outputs_of(const Graph& graph, const Inputs& inputs, std::int64_t points);

}  // namespace pinn::test
