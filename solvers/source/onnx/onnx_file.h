#pragma once
#include <string>
#include <vector>

#include "autograd/onnx/nodes.h"
#include "data/files/fields.h"
#include "data/tables/table_function.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/source/parts.h"

namespace pinn {

/// Formulas of a run as rows of a graph: all parts, of which that of each point is chosen; NaN where
/// there is none. `columns`: the coordinates.
std::vector<onnx::Num> onnx_values(const SourceParts& parts, const std::vector<onnx::Num>& columns,
                                   onnx::Nodes& nodes);

/// Writes formulas of a run's best model as one ONNX model: an input [points] for each coordinate
/// and an output [points] for each formula, by their names.
///
///   fields   names and expressions between commas; empty: those of `[output]`
///   status   text of the run's status.json, for the estimated errors; may be empty
///   errors   ConfigError for names, formulas and regions that do not fit; ConfigError for what
///            becomes no node yet; FileError
Written export_onnx(const Run& run, const Checkpoint& checkpoint, const std::string& fields,
                    const std::string& path, DType dtype, const std::string& status);

/// The derivative `order` of a table on a grid at places x, a row each: cells are found by halving,
/// values by their place in the array.
///
///   errors   ConfigError for a table of another kind, and in float32 for one of more values than
///            whole numbers have places for
onnx::Num onnx_table(const PointFunction& table, const MultiIndex& order,
                     const std::vector<onnx::Num>& x, onnx::Nodes& nodes);

}  // namespace pinn
