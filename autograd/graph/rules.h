#pragma once
#include "autograd/graph/graph.h"

/// Requirements of the ops of a graph on their inputs.
namespace pinn {

/// True if arrays of this shape have one row per point.
inline bool is_row(const Shape& shape) { return shape.rank() > 0 && shape[0] == any_points; }

inline std::int64_t last(const Shape& shape) { return shape[shape.rank() - 1]; }
inline Shape with_size(Shape shape, int axis, std::int64_t size) {
  shape[axis] = size;
  return shape;
}

/// The shape that v's op gives. Where the op leaves a choice (reshape, slice, expand ...) it is
/// v.shape, once that is found to be possible.
///
///   errors   InternalError when the inputs do not fit the op: tensors have checked that before
Shape shape_of(const Graph& graph, const Value& v);

/// Extent of v over the points, its shape being right. Every point runs through the same program
/// and sees nothing of the others, so of a row an op must leave the first axis alone; only sum_to
/// and contract may add the points up, and no row may depend on such a sum.
///
///   errors   EngineError when an op would do otherwise
Extent extent_of(const Graph& graph, const Value& v);

/// The op by the name a reader knows it by: "mul" and "tanh" rather than "binary" and "unary".
std::string spoken_name(const Value& v);
/// "matmul of float64 [P, 3] row and float64 [3, 4] fixed", for messages.
std::string describe(const Graph& graph, const Value& v);
/// As to_string, with P for the number of points: "[P, 3]".
std::string points_text(const Shape& shape);
/// "row", "fixed" or "sum"
const char* name_of(Extent extent);

}  // namespace pinn
