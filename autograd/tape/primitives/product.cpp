#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn::primitive {
namespace {

/// The last two axes of a tensor, at the first index of the others, as an operand of a product.
/// It is read where it stands, or from a copy when neither axis is dense.
Matrix matrix(const Tensor& t, Tensor& copy) {
  const int column = t.rank() - 1, row = column - 1;
  const auto dense = [&](int inner, int outer) {
    return (t.strides()[inner] == 1 || t.shape()[inner] == 1) &&
           (t.strides()[outer] >= t.shape()[inner] || t.shape()[outer] == 1);
  };
  if (dense(column, row)) return {t.raw(), std::max(t.strides()[row], t.shape()[column]), 1};
  if (dense(row, column)) return {t.raw(), 1, std::max(t.strides()[column], t.shape()[row])};
  copy = contiguous_data(t);
  return {copy.raw(), t.shape()[column], 1};
}

/// Operand number i along the first axis of t, of which `first` is number 0.
Matrix operand(const Matrix& first, const Tensor& t, std::int64_t i) {
  const std::int64_t step = t.strides()[0] * std::int64_t(size_of(t.dtype()));
  return {static_cast<const char*>(first.data) + i * step, first.row, first.column};
}

/// x [b, n, k] w [b, k, m], one product after another.
Tensor products(const Tensor& x, const Tensor& w) {
  sums_rows(x);  // in a pass per sample b must be its samples
  const std::int64_t b = x.shape()[0], n = x.shape()[1], k = x.shape()[2], m = w.shape()[2];
  const Tensor y = allocate({b, n, m}, x.dtype(), kernels::common_device("matmul", {&x, &w}));
  if (y.numel() == 0) return y;
  Tensor x_copy, w_copy;
  const Matrix left = matrix(x, x_copy), right = matrix(w, w_copy);
  const Tensor &xs = x_copy.defined() ? x_copy : x, &ws = w_copy.defined() ? w_copy : w;
  for (std::int64_t i = 0; i < b; ++i)
    kernels::product(n, m, k, operand(left, xs, i), operand(right, ws, i),
                     alias(y, {n, m}, {m, 1}, i * n * m));
  stats().products += b;
  if (stats().recording) stats().product_log.push_back({n, m, k, b});
  return y;
}

Shape with_last(Shape shape, std::int64_t size) {
  shape[shape.rank() - 1] = size;
  return shape;
}

/// Leading axes as one.
Tensor with_one_batch_axis(const Tensor& t) {
  if (t.rank() == 3) return t.detach();
  return primitive::reshape(t.detach(), {t.shape()[0] * t.shape()[1], t.shape()[2], t.shape()[3]});
}

Tensor batched_matmul(const Tensor& x, const Tensor& w) {
  if (any_traced({&x, &w}))
    throw EngineError({"matmul with a weight of its own for each of a batch cannot be traced",
                       describe(x) + " times " + describe(w),
                       "multiply elementwise and sum over an axis, or run this step eagerly"});
  const Tensor y = products(with_one_batch_axis(x), with_one_batch_axis(w));
  return x.rank() == 3 ? y : primitive::reshape(y, with_last(x.shape(), w.shape()[3]));
}

/// The elements of x [m, k] w [k, n], into a tensor of `shape`.
Tensor product(const char* op, const Tensor& x, const Tensor& w, const Shape& shape) {
  Tensor y = allocate(shape, x.dtype(), kernels::common_device(op, {&x, &w}));
  const std::int64_t m = x.shape()[0], k = x.shape()[1], n = w.shape()[1];
  Tensor x_copy, w_copy;
  const Matrix a = matrix(x, x_copy), b = matrix(w, w_copy);
  kernels::product(m, n, k, a, b, y);
  Stats& count = stats();
  ++count.products;
  if (count.recording) count.product_log.push_back({m, n, k, 1});
  return y;
}

/// x [..., k] as rows [m, k]: x itself, or a tensor that is kept in `made`.
const Tensor& rows(const Tensor& x, Tensor& made) {
  if (x.rank() == 2) return x;
  const int last = x.rank() - 1;
  return made = primitive::reshape(x, {x.shape().removed(last).numel(), x.shape()[last]});
}

/// Adds b to channel 0 of y [points, channels, out].
void add_bias(Tensor& y, const Tensor& b) {
  if (!kernels::common_device("linear", {&y, &b}).is_cpu()) {
    const Shape values = {y.shape()[0], y.shape()[2]};
    const Tensor channel = alias(y, values, {y.strides()[0], 1}, 0);
    return kernels::add_into(alias(b, values, {0, b.strides()[0]}, b.body()->offset), channel);
  }
  visit_floating(y.dtype(), [&](auto t) {
    using T = decltype(t);
    const Tensor bias = contiguous_data(b);
    const T* from = static_cast<const T*>(bias.raw());
    T* to = static_cast<T*>(y.raw());
    const std::int64_t points = y.shape()[0], step = y.strides()[0], n = y.shape()[2];
    for (std::int64_t p = 0; p < points; ++p)
      for (std::int64_t j = 0; j < n; ++j) to[p * step + j] += from[j];
  });
}

}  // namespace

Tensor matmul(const Tensor& x, const Tensor& w) {
  if (any_batched({&x, &w})) return batch::matmul(x, w);
  if (w.rank() > 2) return batched_matmul(x, w);
  const Shape shape = with_last(x.shape(), w.shape()[1]);
  if (any_traced({&x, &w})) return append(Primitive::matmul, {&x, &w}, shape, x.dtype());
  Tensor made;
  return product("matmul", rows(x, made), w, shape);
}

Tensor contract(const Tensor& x, const Tensor& g) {
  if (any_batched({&x, &g})) return batch::contract(x, g);
  if (sums_rows(g)) return batched(Batch{{}, {{x, g}}});
  const Shape shape = {x.shape()[x.rank() - 1], g.shape()[g.rank() - 1]};
  if (any_traced({&x, &g})) return append(Primitive::contract, {&x, &g}, shape, x.dtype());
  Tensor x_made, g_made;
  return product("contract", primitive::transpose(rows(x, x_made), 0, 1), rows(g, g_made), shape);
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  const Shape shape = with_last(x.shape(), w.shape()[1]);
  if (any_traced({&x, &w, &b})) return append(Primitive::linear, {&x, &w, &b}, shape, x.dtype());
  Tensor made;
  Tensor y = product("linear", rows(x, made), w, shape);
  add_bias(y, b);
  return y;
}

}  // namespace pinn::primitive
