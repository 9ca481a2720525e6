#pragma once
#include <vector>

#include "autograd/onnx/nodes.h"
#include "data/tables/table_function.h"

namespace pinn {

/// The derivative `order` of a table on a grid at places x, a row each: cells are found by halving,
/// values by their place in the array.
///
///   errors   ConfigError for a table of another kind, and in float32 for one of more values than
///            whole numbers have places for
onnx::Num onnx_table(const PointFunction& table, const MultiIndex& order,
                     const std::vector<onnx::Num>& x, onnx::Nodes& nodes);

}  // namespace pinn
