#include <algorithm>

#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn::primitive {

Tensor reshape(const Tensor& x, const Shape& shape) {
  if (any_batched({&x})) return batch::reshape(x, shape);
  if (any_traced({&x})) return append(Primitive::reshape, {&x}, shape, x.dtype());
  const Tensor data = x.is_contiguous() ? x : contiguous_data(x);
  return alias(data, shape, contiguous_strides(shape), data.body()->offset);
}

Tensor transpose(const Tensor& x, int a, int b) {
  if (any_batched({&x})) return batch::transpose(x, a, b);
  Shape shape = x.shape();
  std::swap(shape[a], shape[b]);
  if (any_traced({&x}))
    return append(Primitive::transpose, {&x}, shape, x.dtype(), {.axis = a, .axis2 = b});
  Sizes strides = x.strides();
  std::swap(strides[a], strides[b]);
  return alias(x, shape, strides, x.body()->offset);
}

Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end) {
  if (any_batched({&x})) return batch::slice(x, axis, begin, end);
  must_keep_rows(axis);
  Shape shape = x.shape();
  shape[axis] = end - begin;
  if (any_traced({&x}))
    return append(Primitive::slice, {&x}, shape, x.dtype(), {.axis = axis, .begin = begin});
  return alias(x, shape, x.strides(), x.body()->offset + begin * x.strides()[axis]);
}

Tensor expand(const Tensor& x, const Shape& shape) {
  if (any_batched({&x})) return batch::expand(x, shape);
  if (any_traced({&x}) || (shape.rank() > 0 && shape[0] == any_points))
    return append(Primitive::expand, {&x}, shape, x.dtype());
  Sizes strides{};
  const int shift = shape.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i)
    if (x.shape()[i] == shape[i + shift]) strides[i + shift] = x.strides()[i];
  return alias(x, shape, strides, x.body()->offset);
}

Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin) {
  if (any_batched({&x})) return batch::embed(x, shape, axis, begin);
  must_keep_rows(axis);
  if (any_traced({&x}))
    return append(Primitive::embed, {&x}, shape, x.dtype(), {.axis = axis, .begin = begin});
  Tensor y = zeros(shape, x.dtype(), x.device());
  kernels::copy_into(x, alias(y, x.shape(), y.strides(), begin * y.strides()[axis]));
  return y;
}

Tensor concat(const std::vector<Tensor>& parts, int axis) {
  if (std::any_of(parts.begin(), parts.end(), batch_of)) return batch::concat(parts, axis);
  Shape shape = parts[0].shape();
  shape[axis] = 0;
  for (const Tensor& p : parts) shape[axis] += p.shape()[axis];
  if (std::any_of(parts.begin(), parts.end(), is_traced)) {
    Value v{.axis = axis};
    for (const Tensor& p : parts) v.inputs.push_back(Trace::current()->value_of(p));
    return append(Primitive::concat, {}, shape, parts[0].dtype(), v);
  }
  Tensor y = allocate(shape, parts[0].dtype(), kernels::common_device("concat", parts));
  std::int64_t at = 0;
  for (const Tensor& p : parts) {
    kernels::copy_into(p, alias(y, p.shape(), y.strides(), at));
    at += p.shape()[axis] * y.strides()[axis];
  }
  return y;
}

Tensor gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices) {
  if (any_batched({&x})) return batch::gather(x, axis, indices);
  Shape shape = x.shape();
  shape[axis] = std::int64_t(indices.size());
  if (any_traced({&x}))
    return append(Primitive::gather, {&x}, shape, x.dtype(), {.axis = axis, .indices = indices});
  Tensor y = allocate(shape, x.dtype(), x.device());
  kernels::gather(contiguous_data(x), axis, indices, y);
  return y;
}

}  // namespace pinn::primitive
