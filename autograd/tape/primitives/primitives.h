#pragma once
#include "autograd/ops/float_format.h"
#include "autograd/ops/jet_table.h"
#include "autograd/ops/point_function.h"
#include "autograd/tape/tensor.h"

/// The ops of tensors without history: every one either runs now, or, when an input is traced,
/// appends itself to the trace's graph. What is recorded for derivatives (functions.h) is built on
/// these alone, so a traced function is the eager one, call by call. Their arguments are taken to
/// fit: shapes and dtypes are checked where they are called.
namespace pinn::primitive {

Tensor unary(int id, double parameter, const Tensor& x);
/// f'(x) g; x or y may be undefined where the op's slope does not read it.
Tensor unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g);
Tensor binary(int id, const Tensor& x, const Tensor& y);
Tensor ternary(int id, const Tensor& x, const Tensor& y, const Tensor& z);
Tensor cast(const Tensor& x, DType dtype);
/// x rounded to a format and back (packing.h); of a traced row, with one scale per block of points.
Tensor round(const FloatFormat& format, const Tensor& x);

Tensor sum_to(const Tensor& x, const Shape& shape);

Tensor reshape(const Tensor& x, const Shape& shape);
Tensor transpose(const Tensor& x, int a, int b);
Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end);
Tensor expand(const Tensor& x, const Shape& shape);
Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin);
Tensor concat(const std::vector<Tensor>& parts, int axis);
Tensor gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices);

/// x [..., k] times w [k, n], or x [..., n, k] times w [..., k, m].
Tensor matmul(const Tensor& x, const Tensor& w);
/// x [..., k], g [..., n] -> [k, n], summed over all leading axes.
Tensor contract(const Tensor& x, const Tensor& g);
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b);

Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h);
/// hbar of jet, in one sweep.
Tensor jet_pullback(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h,
                    const Tensor& ybar);
Tensor jet_mul(const JetTablePtr& table, bool transposed, const Tensor& a, const Tensor& b);

/// x: one tensor per input of the function, all of one shape and dtype, on the CPU.
Tensor lookup(const PointFunctionPtr& function, const MultiIndex& order,
              const std::vector<Tensor>& x);

}  // namespace pinn::primitive
