#pragma once
#include <cstdint>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/core/shape.h"
#include "autograd/cuda/gpu.h"

/// The loops of autograd/cpu/eager/elementwise.h and unary.h on a GPU, from the same op structs.
/// All are begun on the compute stream and return at once; arrays are in the memory of that GPU.
namespace pinn::cuda {

/// An operand of a strided loop: first element, and strides in elements (0 along a broadcast axis);
/// without memory, one number for all elements.
struct Operand {
  const void* data = nullptr;
  Sizes strides{};
  double number = 0;
};

/// y = value, n times.
void fill(Gpu& gpu, DType dtype, double value, void* y, std::int64_t n);

/// y[i] = f(x[i]) for the op of Unary with this number.
void unary(Gpu& gpu, int op, double parameter, DType dtype, const void* x, void* y, std::int64_t n);
/// dx[i] = f'(x[i]) dy[i], given y[i] = f(x[i]); what the slope does not read may be null.
void unary_pullback(Gpu& gpu, int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::int64_t n);

/// z = op(x, y) over `shape`; z is contiguous. `op` is a binary_id; floating dtypes only.
void binary(Gpu& gpu, int op, DType dtype, const Shape& shape, const Operand& x, const Operand& y,
            void* z);
/// y = op(a, b, c), where `op` is the number of an op of Ternary; else as binary.
void ternary(Gpu& gpu, int op, DType dtype, const Shape& shape, const Operand& a, const Operand& b,
             const Operand& c, void* y);

/// y = x with the element type changed; y is contiguous.
void copy(Gpu& gpu, DType from, DType to, const Shape& shape, const Operand& x, void* y);
/// y[strided window] += x, or = x, over the window's shape.
void add_into(Gpu& gpu, DType dtype, const Shape& shape, const Operand& x, void* y,
              const Sizes& y_strides);
void copy_into(Gpu& gpu, DType dtype, const Shape& shape, const Operand& x, void* y,
               const Sizes& y_strides);

/// y[o, i, n] = x[o, indices[i], n]: x is [outer, size, inner], y [outer, indices, inner].
void gather(Gpu& gpu, DType dtype, std::int64_t outer, std::int64_t size, std::int64_t inner,
            const std::vector<std::int64_t>& indices, const void* x, void* y);

}  // namespace pinn::cuda
