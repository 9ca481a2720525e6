#include "autograd/cpu/elementwise.h"
#include "autograd/cpu/unary.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives.h"
#include "autograd/tape/traced.h"

namespace pinn::primitive {
namespace {

/// x as an operand of a loop over `shape`.
cpu::Operand operand(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return {x.raw(), x.strides()};
  cpu::Operand o{x.raw(), {}};
  const int shift = shape.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i)
    if (x.shape()[i] != 1 || shape[i + shift] == 1) o.strides[i + shift] = x.strides()[i];
  return o;
}

}  // namespace

Tensor unary(int id, double parameter, const Tensor& x) {
  if (any_batched({&x})) return batch::unary(id, parameter, x);
  if (any_traced({&x})) {
    Value v = traced(Primitive::unary, {&x}, x.shape(), x.dtype());
    v.id = id;
    v.parameter = parameter;
    return append(v);
  }
  const Tensor copy = x.is_contiguous() ? Tensor() : contiguous_data(x);
  Tensor y = allocate(x.shape(), x.dtype());
  cpu::unary(id, parameter, x.dtype(), (copy.defined() ? copy : x).raw(), y.raw(),
             std::size_t(x.numel()));
  return y;
}

Tensor unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g) {
  if (any_batched({&g})) return batch::unary_pullback(id, parameter, x, y, g);
  if (any_traced({&x, &y, &g})) {
    Value v = traced(Primitive::unary_pullback, {&x, &y, &g}, g.shape(), g.dtype());
    v.id = id;
    v.parameter = parameter;
    return append(v);
  }
  const Tensor xs = x.defined() ? contiguous_data(x) : x, gs = contiguous_data(g);
  Tensor dx = allocate(g.shape(), g.dtype());
  cpu::unary_pullback(id, parameter, g.dtype(), x.defined() ? xs.raw() : nullptr,
                      y.defined() ? y.raw() : nullptr, gs.raw(), dx.raw(), std::size_t(g.numel()));
  return dx;
}

Tensor binary(int id, const Tensor& x, const Tensor& y) {
  if (any_batched({&x, &y})) return batch::binary(id, x, y);
  const bool same = x.shape() == y.shape();
  const Shape shape = same ? x.shape() : broadcast(x.shape(), y.shape());
  if (any_traced({&x, &y})) {
    Value v = traced(Primitive::binary, {&x, &y}, shape, x.dtype());
    v.id = id;
    return append(v);
  }
  Tensor z = allocate(shape, x.dtype());
  cpu::binary(id, x.dtype(), shape, operand(x, shape), operand(y, shape), z.raw());
  return z;
}

Tensor where(const Tensor& mask, const Tensor& x, const Tensor& y) {
  if (any_batched({&x, &y})) return batch::where(mask, x, y);
  const Shape shape = broadcast(mask.shape(), broadcast(x.shape(), y.shape()));
  if (any_traced({&mask, &x, &y}))
    return append(traced(Primitive::where, {&mask, &x, &y}, shape, x.dtype()));
  Tensor z = allocate(shape, x.dtype());
  cpu::where(x.dtype(), shape, operand(mask, shape), operand(x, shape), operand(y, shape), z.raw());
  return z;
}

Tensor cast(const Tensor& x, DType dtype) {
  if (any_batched({&x})) return batch::cast(x, dtype);
  if (any_traced({&x})) return append(traced(Primitive::cast, {&x}, x.shape(), dtype));
  Tensor y = allocate(x.shape(), dtype);
  cpu::copy(x.dtype(), dtype, x.shape(), {x.raw(), x.strides()}, y.raw());
  return y;
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (any_batched({&x})) return batch::sum_to(x, shape);
  if (sums_rows(x, shape)) return batch::sum_each_row(x, shape);
  if (any_traced({&x})) return append(traced(Primitive::sum_to, {&x}, shape, x.dtype()));
  Tensor y = zeros(shape, x.dtype());
  Sizes strides{};
  const int shift = x.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] == x.shape()[i + shift]) strides[i + shift] = y.strides()[i];
  cpu::sum(x.dtype(), x.shape(), {x.raw(), x.strides()}, y.raw(), strides);
  return y;
}

}  // namespace pinn::primitive
