#pragma once
#include "autograd/core/numbers.h"
#include "autograd/core/shape.h"

namespace pinn::cpu {

/// An operand of a strided loop: first element, and strides in elements (0 along a broadcast axis).
struct Operand {
  const void* data = nullptr;
  Sizes strides{};
};

/// z = op(x, y) over `shape`; z is contiguous. `op` is a binary_id; floating dtypes only.
void binary(int op, DType dtype, const Shape& shape, const Operand& x, const Operand& y, void* z);

/// y = op(a, b, c), where `op` is the number of an op of Ternary; else as binary.
void ternary(int op, DType dtype, const Shape& shape, const Operand& a, const Operand& b,
             const Operand& c, void* y);

/// y = x with the element type changed; y is contiguous.
void copy(DType from, DType to, const Shape& shape, const Operand& x, void* y);

/// y[strided window] += x, or = x; x is contiguous of the window's shape.
void add_into(DType dtype, const Shape& shape, const void* x, void* y, const Sizes& y_strides);
void copy_into(DType dtype, const Shape& shape, const void* x, void* y, const Sizes& y_strides);

/// y = sum of x over the axes where y_strides is 0; y must start as zeros. Rows are added in order
/// and in double precision, so the result is the same on every run. Floating dtypes only.
void sum(DType dtype, const Shape& shape, const Operand& x, void* y, const Sizes& y_strides);

}  // namespace pinn::cpu
