#include "autograd/core/error.h"
#include "autograd/cpu/elementwise.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/linear_map.h"
#include "autograd/tape/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

Shape with_inferred_size(Shape shape, std::int64_t numel) {
  std::int64_t known = 1;
  int unknown = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1 && unknown < 0)
      unknown = i;
    else
      known *= shape[i];
  }
  if (unknown >= 0 && known > 0) shape[unknown] = numel / known;
  if (shape.numel() != numel)
    throw ShapeError({"reshape cannot fit " + std::to_string(numel) + " elements", to_string(shape),
                      "keep the number of elements"});
  return shape;
}

}  // namespace

Tensor contiguous_data(const Tensor& t) {
  if (t.is_contiguous() || is_traced(t)) return t.requires_grad() ? t.detach() : t;
  Tensor copy = allocate(t.shape(), t.dtype());
  cpu::copy(t.dtype(), t.dtype(), t.shape(), {t.raw(), t.strides()}, copy.raw());
  return copy;
}

Tensor Tensor::clone() const {
  Tensor y = is_traced(*this) ? detach() : allocate(shape(), dtype());
  if (!is_traced(y)) cpu::copy(dtype(), dtype(), shape(), {raw(), strides()}, y.raw());
  return recorded(y, *this, "clone", [](const Tensor& g) { return g; });
}

Tensor reshape(const Tensor& x, const Shape& wanted) {
  const Shape shape = with_inferred_size(wanted, x.numel());
  return recorded(primitive::reshape(x, shape), x, "reshape",
                  [from = x.shape()](const Tensor& g) { return reshape(g, from); });
}

Tensor transpose(const Tensor& x, int a, int b) {
  a = normalized_axis(a, x.rank());
  b = normalized_axis(b, x.rank());
  return recorded(primitive::transpose(x, a, b), x, "transpose",
                  [a, b](const Tensor& g) { return transpose(g, a, b); });
}

Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end) {
  axis = normalized_axis(axis, x.rank());
  if (begin < 0 || end < begin || end > x.shape()[axis])
    throw ShapeError({"slice [" + std::to_string(begin) + ", " + std::to_string(end) +
                          ") is out of range on axis " + std::to_string(axis),
                      describe(x), "keep 0 <= begin <= end <= size"});
  return recorded(
      primitive::slice(x, axis, begin, end), x, "slice",
      [from = x.shape(), axis, begin](const Tensor& g) { return embed(g, from, axis, begin); });
}

Tensor select(const Tensor& x, int axis, std::int64_t index) {
  axis = normalized_axis(axis, x.rank());
  const Tensor one = slice(x.detach(), axis, index, index + 1);
  Sizes strides{};
  for (int i = 0, j = 0; i < x.rank(); ++i)
    if (i != axis) strides[j++] = x.strides()[i];
  const Shape shape = x.shape().removed(axis);
  return recorded(is_traced(x) ? primitive::reshape(one, shape)
                               : alias(one, shape, strides, one.body()->offset),
                  x, "select",
                  [from = x.shape(), thick = one.shape(), axis, index](const Tensor& g) {
                    return embed(reshape(g, thick), from, axis, index);
                  });
}

Tensor expand(const Tensor& x, const Shape& shape) {
  if (!broadcasts_to(x.shape(), shape))
    throw ShapeError({"expand cannot shrink axes", describe(x) + " to " + to_string(shape),
                      "sum_to() does that"});
  if (x.shape() == shape) return x;
  return recorded(primitive::expand(x, shape), x, "expand",
                  [from = x.shape()](const Tensor& g) { return sum_to(g, from); });
}

Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin) {
  axis = normalized_axis(axis, x.rank());
  Shape window = shape;
  if (x.rank() == shape.rank()) window[axis] = x.shape()[axis];
  if (!(window == x.shape()) || begin < 0 || begin + x.shape()[axis] > shape[axis])
    throw ShapeError({"embed: the tensor does not fit at " + std::to_string(begin) + " on axis " +
                          std::to_string(axis),
                      describe(x) + " into " + to_string(shape),
                      "keep all other sizes, and 0 <= begin <= size - width"});
  return recorded(primitive::embed(x, shape, axis, begin), x, "embed",
                  [axis, begin, end = begin + x.shape()[axis]](const Tensor& g) {
                    return slice(g, axis, begin, end);
                  });
}

}  // namespace pinn
