#pragma once
#include "autograd/core/arrays.h"
#include "autograd/core/numbers.h"
#include "autograd/ops/float_format.h"
#include "autograd/ops/jet_table.h"

/// Kernels for tensors of the CPU, op by op; arrays are contiguous where they are not Strided. The
/// last argument tells these functions from those of one name that run on a GPU.
/// Errors: EngineError where an op of Unary or a jet is asked for numbers that are not floating.
namespace pinn::cpu {

struct Host {};

// ---- elementwise
/// y[i] = f(x[i]) for the op of Unary with this number; `parameter` is the exponent of power. x and
/// y may be the same array.
void unary(int op, double parameter, DType dtype, const void* x, void* y, std::int64_t n,
           Host = {});
/// dx[i] = f'(x[i]) dy[i], given y[i] = f(x[i]). What the op's slope does not read (uses_x, uses_y)
/// may be null; dx may be the same array as dy.
void unary_pullback(int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::int64_t n, Host = {});
/// z = op(x, y) over `shape`. `op` is a binary_id; floating dtypes only.
void binary(int op, DType dtype, const Shape& shape, const Strided& x, const Strided& y, void* z,
            Host = {});
/// y = op(a, b, c), where `op` is the number of an op of Ternary; else as binary.
void ternary(int op, DType dtype, const Shape& shape, const Strided& a, const Strided& b,
             const Strided& c, void* y, Host = {});

// ---- moving elements
/// y = x with the element type changed.
void copy(DType from, DType to, const Shape& shape, const Strided& x, void* y, Host = {});
/// y[strided window] += x, or = x, over the window's shape.
void add_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
              Host = {});
void copy_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
               Host = {});
/// y = sum of x over the axes where y_strides is 0. Rows are added in order and in double
/// precision, so the result is the same on every run. Floating dtypes only.
void sum(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
         Host = {});

// ---- smaller float types
/// Codes of x 2^exponent and, where the format needs one, the exponent that fits x behind them:
/// FloatFormat::bytes_packed.
void encode(const FloatFormat& format, DType dtype, const void* x, void* codes, std::int64_t n,
            Host = {});
/// x = (number of the code) 2^-exponent.
void decode(const FloatFormat& format, DType dtype, const void* codes, void* x, std::int64_t n,
            Host = {});

// ---- products
/// c[m, n] = a[m, k] b[k, n], c by rows. Eager products are Eigen's.
void product(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a,
             const Matrix& b, void* c, Host = {});

// ---- jets
// A jet is a row-major array [points, channels, features], where the channels are those of a
// JetTable. Points are independent, so threads may each take a part of them. Results never overlap
// arguments.

/// y = f^(k)(h), the k-th derivative of an op of Unary on a jet:
/// y = sum_m f^(k+m)(h_0) n^m / m! with n = h - h_0.
///
///   cost     f and its derivatives once per point and feature, then two flops per entry of the
///            table's powers
///   errors   EngineError when k + order of the table exceeds max_derivative
void jet(int op, double parameter, int k, const JetTable& table, DType dtype, std::int64_t points,
         std::int64_t features, const void* h, void* y, Host = {});
/// hbar = the transposed product of ybar with the jet f^(k+1)(h): the reverse sweep of y =
/// f^(k)(h).
void jet_pullback(int op, double parameter, int k, const JetTable& table, DType dtype,
                  std::int64_t points, std::int64_t features, const void* h, const void* ybar,
                  void* hbar, Host = {});
/// y_k = sum_{i,j} w[i,j,k] a_i b_j; transposed, y_i = sum_{j,k} w[i,j,k] a_k b_j: the transpose of
/// x -> x b applied to a. Either of a and b may have one feature, for all features of the other.
///
///   errors   ShapeError when the features differ and neither is 1
void jet_mul(const JetTable& table, bool transposed, DType dtype, std::int64_t points,
             std::int64_t a_features, const void* a, std::int64_t b_features, const void* b,
             void* y, Host = {});

}  // namespace pinn::cpu
