#pragma once
#include "autograd/core/arrays.h"
#include "autograd/core/numbers.h"
#include "autograd/cuda/gpu.h"
#include "autograd/ops/float_format.h"
#include "autograd/ops/jet_table.h"

/// Kernels for tensors of a GPU, op by op, from the same op structs as those of the CPU: what a
/// function does stands with the one of its name in autograd/cpu/eager/kernels.h. All are begun on
/// the compute stream and return at once; arrays are in the memory of that GPU.
namespace pinn::cuda {

// ---- elementwise; operands without memory are one number for all elements
/// y = value, n times.
void fill(DType dtype, double value, void* y, std::int64_t n, Gpu& gpu);
void unary(int op, double parameter, DType dtype, const void* x, void* y, std::int64_t n, Gpu& gpu);
void unary_pullback(int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::int64_t n, Gpu& gpu);
void binary(int op, DType dtype, const Shape& shape, const Strided& x, const Strided& y, void* z,
            Gpu& gpu);
void ternary(int op, DType dtype, const Shape& shape, const Strided& a, const Strided& b,
             const Strided& c, void* y, Gpu& gpu);

// ---- moving elements
void copy(DType from, DType to, const Shape& shape, const Strided& x, void* y, Gpu& gpu);
void add_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
              Gpu& gpu);
void copy_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
               Gpu& gpu);
/// y[o, i, n] = x[o, indices[i], n]: x is [outer, size, inner], y [outer, indices, inner].
void gather(DType dtype, std::int64_t outer, std::int64_t size, std::int64_t inner,
            const std::vector<std::int64_t>& indices, const void* x, void* y, Gpu& gpu);

// ---- reductions
// Threads add up at most 64 numbers each, in an order that depends on the shape alone, then 64 of
// those sums each, and so on: the result is the same on every run.

/// y is contiguous over the axes that stay, which are in its order.
void sum(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
         Gpu& gpu);
/// The largest |x| that is finite, 0 if there is none, into one double.
void largest_finite(DType dtype, const void* x, std::int64_t n, double* y, Gpu& gpu);

// ---- smaller float types; the scale is found on the device, and the host does not wait
void encode(const FloatFormat& format, DType dtype, const void* x, void* codes, std::int64_t n,
            Gpu& gpu);
void decode(const FloatFormat& format, DType dtype, const void* codes, void* x, std::int64_t n,
            Gpu& gpu);

// ---- products
void product(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a,
             const Matrix& b, void* c, Gpu& gpu);

// ---- jets: any table, any op of Unary
void jet(int op, double parameter, int k, const JetTable& table, DType dtype, std::int64_t points,
         std::int64_t features, const void* h, void* y, Gpu& gpu);
void jet_pullback(int op, double parameter, int k, const JetTable& table, DType dtype,
                  std::int64_t points, std::int64_t features, const void* h, const void* ybar,
                  void* hbar, Gpu& gpu);
void jet_mul(const JetTable& table, bool transposed, DType dtype, std::int64_t points,
             std::int64_t a_features, const void* a, std::int64_t b_features, const void* b,
             void* y, Gpu& gpu);

}  // namespace pinn::cuda
