#pragma once
#include <array>
#include <cstdint>

#include "autograd/core/host_device.h"
#include "autograd/core/shape.h"

namespace pinn::cuda {

/// A loop nest over several operands, with neighboring axes joined where every operand allows it:
/// from the number of an iteration to where each operand has its element. (The CPU walks such a
/// nest row by row; here each thread has to find its own place.)
template <int operands> class Nest {
 public:
  Nest() = default;
  Nest(const Shape& shape, const std::array<Sizes, operands>& strides) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == 1) continue;
      if (rank_ > 0 && joins(strides, axis, shape[axis]))
        size_[rank_ - 1] *= shape[axis];
      else
        size_[rank_++] = shape[axis];
      for (int k = 0; k < operands; ++k) stride_[k][rank_ - 1] = strides[k][axis];
    }
    if (rank_ == 0) size_[rank_++] = 1;
    count_ = shape.numel();
  }

  /// How many iterations there are.
  HD std::int64_t count() const { return count_; }
  /// How far iteration i is from the first one, in each operand's elements.
  HD void find(std::int64_t i, std::int64_t (&at)[operands]) const {
    if (rank_ == 1)
      for (int k = 0; k < operands; ++k) at[k] = i * stride_[k][0];
    else if (count_ <= 0xFFFFFFFF)  // short divisions cost a quarter of long ones
      walk(std::uint32_t(i), at);
    else
      walk(std::uint64_t(i), at);
  }
  /// Whether the last operand's neighbors in the innermost axis are neighbors in memory.
  bool is_dense_inside() const { return stride_[operands - 1][rank_ - 1] == 1; }

 private:
  bool joins(const std::array<Sizes, operands>& strides, int axis, std::int64_t n) const {
    for (int k = 0; k < operands; ++k)
      if (stride_[k][rank_ - 1] != strides[k][axis] * n) return false;
    return true;
  }
  template <class Index> HD void walk(Index i, std::int64_t (&at)[operands]) const {
    for (int k = 0; k < operands; ++k) at[k] = 0;
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      const Index n = Index(size_[axis]), index = axis > 0 ? i % n : i;
      i /= n;
      for (int k = 0; k < operands; ++k) at[k] += std::int64_t(index) * stride_[k][axis];
    }
  }

  int rank_ = 0;
  std::int64_t count_ = 0;
  std::int64_t size_[max_rank] = {};
  std::int64_t stride_[operands][max_rank] = {};
};

}  // namespace pinn::cuda
