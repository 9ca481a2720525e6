#pragma once
#include "autograd/cuda/kernels/elementwise.h"

/// Reductions on a GPU. Threads add up at most 64 numbers each, in an order that depends on the
/// shape alone, then 64 of those sums each, and so on: the result is the same on every run.
namespace pinn::cuda {

/// y = sum of x over the axes where y_strides is 0, added in double precision; y is contiguous over
/// the other axes, which are in its order. Floating dtypes only.
void sum(Gpu& gpu, DType dtype, const Shape& shape, const Operand& x, void* y,
         const Sizes& y_strides);

/// The largest |x| that is finite, 0 if there is none, into one double.
void largest_finite(Gpu& gpu, DType dtype, const void* x, std::int64_t n, double* y);

}  // namespace pinn::cuda
