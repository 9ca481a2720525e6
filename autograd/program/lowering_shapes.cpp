// Ops on shapes: they rename cells and leave no instruction.
#include "autograd/program/lowering.h"

namespace pinn {

Cells Lowering::rearranged(const Value& v) {
  const Value& x = input_of(v, 0);
  const Cells& from = of(v, 0);
  if (v.op == Primitive::expand) return broadcast_places(v, x, from);
  const Shape inner = inner_shape(v), source = inner_shape(x);
  const int points = is_row(v) ? 1 : 0;
  const int axis = v.axis - points, axis2 = v.axis2 - points;
  if (axis < 0) return from;  // a graph leaves the points alone
  const Sizes strides = contiguous_strides(source);
  Cells out(std::size_t(inner.numel()));
  Sizes at{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::int64_t j = 0;
    for (int a = 0; a < inner.rank(); ++a) {
      if (v.op == Primitive::transpose) {
        const int to = a == axis ? axis2 : a == axis2 ? axis : a;
        j += at[a] * strides[to];
      } else if (v.op == Primitive::gather) {
        j += (a == axis ? v.indices[std::size_t(at[a])] : at[a]) * strides[a];
      } else {
        j += (at[a] + (a == axis ? v.begin : 0)) * strides[a];
      }
    }
    out[i] = from[std::size_t(j)];
    for (int a = inner.rank() - 1; a >= 0 && ++at[a] == inner[a]; --a) at[a] = 0;
  }
  return out;
}

Cells Lowering::embedded(const Value& v) {
  const Shape inner = inner_shape(v), part = inner_shape(input_of(v, 0));
  const int axis = v.axis - (is_row(v) ? 1 : 0);
  const Cells& from = of(v, 0);
  if (axis < 0) return from;  // a graph leaves the points alone
  Cells out(std::size_t(inner.numel()), number(0));
  const Sizes strides = contiguous_strides(inner);
  Sizes at{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::int64_t j = v.begin * strides[axis];
    for (int a = 0; a < part.rank(); ++a) j += at[a] * strides[a];
    out[std::size_t(j)] = from[i];
    for (int a = part.rank() - 1; a >= 0 && ++at[a] == part[a]; --a) at[a] = 0;
  }
  return out;
}

Cells Lowering::joined(const Value& v) {
  const Shape inner = inner_shape(v);
  const int axis = v.axis - (is_row(v) ? 1 : 0);
  if (axis < 0) return of(v, 0);  // a graph leaves the points alone
  std::int64_t outer = 1, inside = 1;
  for (int i = 0; i < axis; ++i) outer *= inner[i];
  for (int i = axis + 1; i < inner.rank(); ++i) inside *= inner[i];
  Cells out;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::size_t k = 0; k < v.inputs.size(); ++k) {
      const Value& x = input_of(v, int(k));
      // A fixed part among rows has its points' axis still, of size 1.
      const Shape part = is_row(v) && !is_row(x) ? x.shape.removed(0) : inner_shape(x);
      const std::int64_t n = part[axis] * inside;
      const Cells& from = of(v, int(k));
      out.insert(out.end(), from.begin() + o * n, from.begin() + (o + 1) * n);
    }
  return out;
}

}  // namespace pinn
