#pragma once
#include <limits>
#include <optional>

#include "autograd/graph/graph.h"

namespace pinn {

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
