#pragma once
#include <span>
#include <vector>

#include "autograd/graph/graph.h"

/// Places of a value's elements in the values that it is made of: folding reads numbers there, and
/// a program's lowering lanes.
namespace pinn {

/// Index in x, which is broadcast to y's shape, of every element of y in row-major order.
std::vector<std::size_t> broadcast_indices(const Shape& y, const Shape& x);

/// An element of one of the inputs of an op; zero if that is -1.
struct Source {
  int input = 0;
  std::size_t index = 0;
};

/// Source of every element of v in row-major order; v is a transpose, slice, gather, embed or
/// concat. Shapes are given without their first `left_out` axes, which v leaves alone.
std::vector<Source> sources_of(const Value& v, const Shape& shape, std::span<const Shape> inputs,
                               int left_out = 0);

}  // namespace pinn
