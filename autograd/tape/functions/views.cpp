#include "autograd/core/error.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

[[noreturn]] void cannot_fit(std::int64_t numel, const Shape& wanted, const char* fix) {
  throw ShapeError(
      {"reshape cannot fit " + std::to_string(numel) + " elements", to_string(wanted), fix});
}

Shape with_inferred_size(const Shape& wanted, std::int64_t numel) {
  Shape shape = wanted;
  int unknown = -1;
  for (int i = 0; i < wanted.rank(); ++i) {
    if (wanted[i] < -1 || (wanted[i] == -1 && unknown >= 0))
      cannot_fit(numel, wanted, "give sizes from 0 on, and -1 once where one is to be found");
    if (wanted[i] == -1) shape[unknown = i] = 1;
  }
  must_be_possible(shape);
  const std::int64_t known = shape.numel();
  if (unknown >= 0 && known == 0)
    cannot_fit(numel, wanted, "any size would do for -1 beside a 0: give the one that is meant");
  if (unknown >= 0) shape[unknown] = numel / known;
  if (shape.numel() != numel) cannot_fit(numel, wanted, "keep the number of elements");
  return shape;
}

/// An index along an axis given from the end (-1 is the last) as one from the start.
std::int64_t from_start(const Tensor& x, int axis, std::int64_t index) {
  const std::int64_t size = x.shape()[axis];
  if (index < 0 && axis == 0 && size == any_points)
    throw EngineError({"index " + std::to_string(index) +
                           " counts from the end of points whose number a trace does not know",
                       describe(x), "index another axis, or run this step eagerly"});
  if (index == to_the_end) return size;
  return index < 0 ? index + size : index;
}

[[noreturn]] void out_of_range(const std::string& what, const Tensor& x, int axis) {
  throw ShapeError({what + " is out of range on axis " + std::to_string(axis), describe(x),
                    "keep -size <= begin <= end <= size, and an index below size"});
}

/// One index along an axis, which is dropped: a view, unless x is not in memory.
Tensor selected(const Tensor& x, int axis, std::int64_t index) {
  const Tensor one = primitive::slice(x, axis, index, index + 1);
  const Shape shape = x.shape().removed(axis);
  if (!one.body()->storage) return primitive::reshape(one, shape);
  Sizes strides{};
  for (int i = 0, j = 0; i < x.rank(); ++i)
    if (i != axis) strides[j++] = x.strides()[i];
  return alias(one, shape, strides, one.body()->offset);
}

}  // namespace

void stand_alone(const Tensor& view) {
  TensorBody& body = *view.body();
  body.root = nullptr;
  body.is_view = body.is_unrecorded_view = body.is_foreign = false;
}

Tensor contiguous_data(const Tensor& t) {
  if (t.is_contiguous() || is_traced(t)) return t.requires_grad() ? t.detach() : t;
  const Tensor copy = allocate(t.shape(), t.dtype(), t.device());
  kernels::copy(t, copy);
  return copy;
}

Tensor Tensor::clone() const {
  checked();
  const auto copy = [](const Tensor& x) {
    if (!x.body()->storage) return x.detach();  // it never changes
    const Tensor y = allocate(x.shape(), x.dtype(), x.device());
    kernels::copy(x, y);
    return y;
  };
  return linear_map("clone", *this, copy, [](const Tensor& g) { return g; });
}

Tensor Tensor::to(Device device) const {
  const Device from = this->device();
  if (from == device) return *this;
  const auto moved = [device](const Tensor& x) {
    if (is_traced(x)) return x.detach();  // where it runs is up to the executor of the trace
    if (batch_of(x)) return batched(members(x).to(device));
    const Tensor y = allocate(x.shape(), x.dtype(), device);
    kernels::transfer(contiguous_data(x), y);
    return y;
  };
  return linear_map("to", *this, moved, [from](const Tensor& g) { return g.to(from); });
}

Tensor reshape(const Tensor& x, const Shape& wanted) {
  const Shape shape = with_inferred_size(wanted, x.numel());
  return linear_map(
      "reshape", x, [shape](const Tensor& t) { return primitive::reshape(t, shape); },
      [from = x.shape()](const Tensor& g) { return reshape(g, from); });
}

Tensor transpose(const Tensor& x, int a, int b) {
  a = normalized_axis(a, x.rank());
  b = normalized_axis(b, x.rank());
  return linear_map(
      "transpose", x, [a, b](const Tensor& t) { return primitive::transpose(t, a, b); },
      [a, b](const Tensor& g) { return transpose(g, a, b); });
}

Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end) {
  axis = normalized_axis(axis, x.rank());
  const std::int64_t asked_begin = begin, asked_end = end;
  begin = from_start(x, axis, begin);
  end = from_start(x, axis, end);
  if (begin < 0 || end < begin || end > x.shape()[axis])
    out_of_range("slice [" + std::to_string(asked_begin) + ", " + std::to_string(asked_end) + ")",
                 x, axis);
  return linear_map(
      "slice", x, [=](const Tensor& t) { return primitive::slice(t, axis, begin, end); },
      [from = x.shape(), axis, begin](const Tensor& g) { return embed(g, from, axis, begin); });
}

Tensor select(const Tensor& x, int axis, std::int64_t index) {
  axis = normalized_axis(axis, x.rank());
  const std::int64_t asked = index;
  index = from_start(x, axis, index);
  if (index < 0 || index >= x.shape()[axis])
    out_of_range("select: index " + std::to_string(asked), x, axis);
  return linear_map(
      "select", x, [=](const Tensor& t) { return selected(t, axis, index); },
      [from = x.shape(), axis, index](const Tensor& g) {
        return embed(reshape(g, g.shape().inserted(axis, 1)), from, axis, index);
      });
}

Tensor expand(const Tensor& x, const Shape& shape) {
  if (!broadcasts_to(x.shape(), shape))
    throw ShapeError({"expand cannot shrink axes", describe(x) + " to " + to_string(shape),
                      "sum_to() does that"});
  if (x.shape() == shape) return x;
  must_be_possible(shape);
  return linear_map(
      "expand", x, [shape](const Tensor& t) { return primitive::expand(t, shape); },
      [from = x.shape()](const Tensor& g) { return sum_to(g, from); });
}

Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin) {
  axis = normalized_axis(axis, x.rank());
  Shape window = shape;
  if (x.rank() == shape.rank()) window[axis] = x.shape()[axis];
  if (!(window == x.shape()) || begin < 0 || begin > shape[axis] - x.shape()[axis])
    throw ShapeError({"embed: the tensor does not fit at " + std::to_string(begin) + " on axis " +
                          std::to_string(axis),
                      describe(x) + " into " + to_string(shape),
                      "keep all other sizes, and 0 <= begin <= size - width"});
  return linear_map(
      "embed", x, [=](const Tensor& t) { return primitive::embed(t, shape, axis, begin); },
      [axis, begin, end = begin + x.shape()[axis]](const Tensor& g) {
        return slice(g, axis, begin, end);
      });
}

}  // namespace pinn
