#pragma once
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "autograd/graph/graph.h"

namespace pinn {

/// Places of a value's elements in the values that it is made of: folding reads numbers there, and
/// a program's lowering lanes.

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

/// A value that stands somewhere along an axis of a larger array.
struct Piece {
  std::int64_t begin, size;
  int value;
  std::int64_t end() const { return begin + size; }
};

/// An array put together along an axis, in order; zeros where no piece is.
struct Pieces {
  int axis;
  std::vector<Piece> all;
};

/// Pieces that an embed or a concat is put together from, as far as they stand between `begin` and
/// `end`; nothing for other values.
std::optional<Pieces> pieces_of(const Graph& graph, int i, std::int64_t begin = 0,
                                std::int64_t end = std::numeric_limits<std::int64_t>::max());

/// The value of that shape that has these pieces: an embed, or a concat with zeros in the gaps.
int put_together(Graph& graph, const Pieces& pieces, Shape shape, DType dtype);

}  // namespace pinn
