#pragma once
#include <span>
#include <vector>

#include "autograd/graph/graph.h"

/// Where the elements of a value stand in the values that it is made of: folding reads numbers
/// there, and a program's lowering lanes.
namespace pinn {

/// Of every element of y, in row-major order, the index in x, which is broadcast to y's shape.
std::vector<std::size_t> broadcast_indices(const Shape& y, const Shape& x);

/// An element of one of the inputs of an op; zero if that is -1.
struct Source {
  int input = 0;
  std::size_t index = 0;
};

/// Of every element of v in row-major order, where it comes from; v is a transpose, slice, gather,
/// embed or concat. Shapes are given without their first `left_out` axes, which v leaves alone.
std::vector<Source> sources_of(const Value& v, const Shape& shape, std::span<const Shape> inputs,
                               int left_out = 0);

}  // namespace pinn
