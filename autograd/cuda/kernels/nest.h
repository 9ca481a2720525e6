#pragma once
#include <array>
#include <cstdint>

#include "autograd/core/arrays.h"
#include "autograd/core/host_device.h"

namespace pinn::cuda {

/// A loop nest over several operands: from the number of an iteration to where each operand has its
/// element. (The CPU walks such a nest row by row; here each thread has to find its own place.)
template <int operands> class Nest : JoinedAxes<operands> {
 public:
  Nest() = default;
  Nest(const Shape& shape, const std::array<Sizes, operands>& strides)
      : JoinedAxes<operands>(shape, strides), count_(shape.numel()) {}

  /// How many iterations there are.
  HD std::int64_t count() const { return count_; }
  /// How far iteration i is from the first one, in each operand's elements.
  HD void find(std::int64_t i, std::int64_t (&at)[operands]) const {
    if (rank == 1)
      for (int k = 0; k < operands; ++k) at[k] = i * stride[k][0];
    else if (count_ <= 0xFFFFFFFF)  // short divisions cost a quarter of long ones
      walk(std::uint32_t(i), at);
    else
      walk(std::uint64_t(i), at);
  }
  /// True if the last operand's neighbors in the innermost axis are neighbors in memory.
  bool is_dense_inside() const { return stride[operands - 1][rank - 1] == 1; }

 private:
  using JoinedAxes<operands>::rank, JoinedAxes<operands>::size, JoinedAxes<operands>::stride;

  template <class Index> HD void walk(Index i, std::int64_t (&at)[operands]) const {
    for (int k = 0; k < operands; ++k) at[k] = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const Index n = Index(size[axis]), index = axis > 0 ? i % n : i;
      i /= n;
      for (int k = 0; k < operands; ++k) at[k] += std::int64_t(index) * stride[k][axis];
    }
  }

  std::int64_t count_ = 0;
};

}  // namespace pinn::cuda
