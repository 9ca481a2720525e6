#pragma once
#include "autograd/core/shape.h"

/// Arrays in memory, as the loops and the products of every device take them.
namespace pinn {

/// An operand of a strided loop: first element, and strides in elements (0 along a broadcast axis);
/// without memory, one number for all elements, which the loops of a GPU take.
struct Strided {
  const void* data = nullptr;
  Sizes strides{};
  double number = 0;
};

/// A matrix: element (i, j) is data[i * row + j * column]; one of the strides is 1.
struct Matrix {
  const void* data = nullptr;
  std::int64_t row = 0, column = 1;
};

/// The axes of a loop over several operands, neighbors joined where every operand allows it.
template <int operands> struct JoinedAxes {
  int rank = 0;
  std::int64_t size[max_rank] = {};
  std::int64_t stride[operands][max_rank] = {};

  JoinedAxes() = default;
  JoinedAxes(const Shape& shape, const std::array<Sizes, operands>& strides) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == 1) continue;
      if (rank > 0 && joins(strides, axis, shape[axis]))
        size[rank - 1] *= shape[axis];
      else
        size[rank++] = shape[axis];
      for (int k = 0; k < operands; ++k) stride[k][rank - 1] = strides[k][axis];
    }
    if (rank == 0) size[rank++] = 1;
  }

 private:
  bool joins(const std::array<Sizes, operands>& strides, int axis, std::int64_t n) const {
    for (int k = 0; k < operands; ++k)
      if (stride[k][rank - 1] != strides[k][axis] * n) return false;
    return true;
  }
};

}  // namespace pinn
