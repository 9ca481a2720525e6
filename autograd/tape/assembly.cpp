#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/cpu/elementwise.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/linear_map.h"

namespace pinn {
namespace {

/// A contiguous array as [outer, size of an axis, inner].
struct Blocks {
  Blocks(const Shape& shape, int axis) : size(shape[axis]) {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  }
  std::int64_t outer = 1, size, inner = 1;
};

/// y[indices[i]] += x[i] along an axis: the adjoint of gather.
Tensor scatter(const Tensor& x, const Shape& shape, int axis,
               const std::vector<std::int64_t>& indices) {
  Tensor y = zeros(shape, x.dtype());
  const Tensor data = contiguous_data(x);
  const Blocks to(shape, axis);
  visit_floating(x.dtype(), [&]<class T>(T) {
    const T* from = static_cast<const T*>(data.raw());
    for (std::int64_t o = 0; o < to.outer; ++o)
      for (const std::int64_t index : indices) {
        T* at = static_cast<T*>(y.raw()) + (o * to.size + index) * to.inner;
        for (std::int64_t k = 0; k < to.inner; ++k) at[k] += *from++;
      }
  });
  return recorded(y, x, "scatter",
                  [axis, indices](const Tensor& g) { return gather(g, axis, indices); });
}

class ConcatNode : public Node {
 public:
  ConcatNode(int axis, std::vector<std::int64_t> begins)
      : axis_(axis), begins_(std::move(begins)) {}
  const char* name() const override { return "concat"; }
  Gradients apply(const Gradients& grads) override {
    Gradients out(begins_.size() - 1);
    if (!grads[0].defined()) return out;
    for (int i = 0; i < int(out.size()); ++i) {
      if (!wanted(i)) continue;
      note_formula(*this, i);
      out[i] = slice(grads[0], axis_, begins_[i], begins_[i + 1]);
    }
    return out;
  }

 private:
  int axis_;
  std::vector<std::int64_t> begins_;
};

}  // namespace

Tensor gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices) {
  axis = normalized_axis(axis, x.rank());
  const Blocks from(x.shape(), axis);
  for (const std::int64_t index : indices)
    if (index < 0 || index >= from.size)
      throw ShapeError({"gather: index " + std::to_string(index) + " is out of range on axis " +
                            std::to_string(axis),
                        describe(x), "keep 0 <= index < size"});
  Shape shape = x.shape();
  shape[axis] = std::int64_t(indices.size());
  Tensor y = allocate(shape, x.dtype());
  const Tensor data = contiguous_data(x);
  const std::size_t bytes = std::size_t(from.inner) * size_of(x.dtype());
  char* to = static_cast<char*>(y.raw());
  for (std::int64_t o = 0; o < from.outer; ++o)
    for (const std::int64_t index : indices) {
      const std::size_t at = std::size_t(o * from.size + index) * bytes;
      std::copy_n(static_cast<const char*>(data.raw()) + at, bytes, to);
      to += bytes;
    }
  return recorded(y, x, "gather", [from = x.shape(), axis, indices](const Tensor& g) {
    return scatter(g, from, axis, indices);
  });
}

Tensor concat(const std::vector<Tensor>& parts, int axis) {
  if (parts.empty()) throw ShapeError({"concat needs at least one tensor", "", "pass some parts"});
  axis = normalized_axis(axis, parts[0].rank());
  Shape shape = parts[0].shape();
  std::vector<std::int64_t> begins{0};
  for (const Tensor& p : parts) {
    Shape expected = shape;
    expected[axis] = p.rank() == shape.rank() ? p.shape()[axis] : 0;
    if (!(p.shape() == expected) || p.dtype() != parts[0].dtype())
      throw ShapeError({"concat: parts differ in more than axis " + std::to_string(axis),
                        describe(parts[0]) + " and " + describe(p), "reshape or cast them first"});
    begins.push_back(begins.back() + p.shape()[axis]);
  }
  shape[axis] = begins.back();
  Tensor y = allocate(shape, parts[0].dtype());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tensor part = contiguous_data(parts[i]);
    char* at = static_cast<char*>(y.raw()) +
               begins[i] * y.strides()[axis] * std::int64_t(size_of(part.dtype()));
    cpu::copy_into(part.dtype(), part.shape(), part.raw(), at, y.strides());
  }
  if (needs_recording(parts)) {
    std::vector<Edge> edges;
    for (const Tensor& p : parts) edges.push_back(edge_of(p));
    auto node = make_node<ConcatNode>(axis, begins);
    node->set_edges(std::move(edges));
    set_history(y, node);
  }
  return y;
}

Tensor stack(const std::vector<Tensor>& parts, int axis) {
  std::vector<Tensor> thick;
  for (const Tensor& p : parts)
    thick.push_back(reshape(p, p.shape().inserted(normalized_axis(axis, p.rank() + 1), 1)));
  return concat(thick, axis);
}

}  // namespace pinn
