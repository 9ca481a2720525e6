#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn::primitive {
Tensor unary(int id, double parameter, const Tensor& x) {
  if (any_batched({&x})) return batch::unary(id, parameter, x);
  if (any_traced({&x}))
    return append(Primitive::unary, {&x}, x.shape(), x.dtype(),
                  {.function = id, .parameter = parameter});
  const Tensor copy = x.is_contiguous() ? Tensor() : contiguous_data(x);
  Tensor y = allocate(x.shape(), x.dtype(), x.device());
  kernels::unary(id, parameter, copy.defined() ? copy : x, y);
  return y;
}

Tensor unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g) {
  if (any_batched({&g})) return batch::unary_pullback(id, parameter, x, y, g);
  if (any_traced({&x, &y, &g}))
    return append(Primitive::unary_pullback, {&x, &y, &g}, g.shape(), g.dtype(),
                  {.function = id, .parameter = parameter});
  const Tensor xs = x.defined() ? contiguous_data(x) : x, gs = contiguous_data(g);
  Tensor dx =
      allocate(g.shape(), g.dtype(), kernels::common_device(unary_name(id).data(), {&x, &y, &g}));
  kernels::unary_pullback(id, parameter, xs, y, gs, dx);
  return dx;
}

Tensor binary(int id, const Tensor& x, const Tensor& y) {
  if (any_batched({&x, &y})) return batch::binary(id, x, y);
  const bool same = x.shape() == y.shape();
  const Shape shape = same ? x.shape() : broadcast(x.shape(), y.shape());
  if (any_traced({&x, &y}))
    return append(Primitive::binary, {&x, &y}, shape, x.dtype(), {.function = id});
  Tensor z = allocate(shape, x.dtype(), kernels::common_device(binary_name(id).data(), {&x, &y}));
  kernels::binary(id, x, y, z);
  return z;
}

Tensor ternary(int id, const Tensor& x, const Tensor& y, const Tensor& z) {
  if (any_batched({&y, &z})) return batch::ternary(id, x, y, z);
  const Shape shape = broadcast(x.shape(), broadcast(y.shape(), z.shape()));
  if (any_traced({&x, &y, &z}))
    return append(Primitive::ternary, {&x, &y, &z}, shape, y.dtype(), {.function = id});
  const char* name = Ternary::names.at(std::size_t(id)).data();
  Tensor w = allocate(shape, y.dtype(), kernels::common_device(name, {&x, &y, &z}));
  kernels::ternary(id, x, y, z, w);
  return w;
}

Tensor cast(const Tensor& x, DType dtype) {
  if (any_batched({&x})) return batch::cast(x, dtype);
  if (any_traced({&x})) return append(Primitive::cast, {&x}, x.shape(), dtype);
  Tensor y = allocate(x.shape(), dtype, x.device());
  kernels::copy(x, y);
  return y;
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (any_batched({&x})) return batch::sum_to(x, shape);
  if (sums_rows(x, shape)) return batch::sum_each_row(x, shape);
  if (any_traced({&x})) return append(Primitive::sum_to, {&x}, shape, x.dtype());
  Tensor y = allocate(shape, x.dtype(), x.device());
  kernels::sum_to(x, y);
  return y;
}

}  // namespace pinn::primitive
