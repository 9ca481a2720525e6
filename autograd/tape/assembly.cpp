#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/linear_map.h"
#include "autograd/tape/primitives.h"

namespace pinn {
namespace {

/// y[indices[i]] += x[i] along an axis: the adjoint of gather.
Tensor scatter(const Tensor& x, const Shape& shape, int axis,
               const std::vector<std::int64_t>& indices) {
  Tensor y;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Tensor one = slice(x, axis, std::int64_t(i), std::int64_t(i) + 1);
    const Tensor part = embed(one, shape, axis, indices[i]);
    y = y.defined() ? y + part : part;
  }
  return y.defined() ? y : zeros(shape, x.dtype(), x.device());
}

std::vector<Tensor> tangents_or_zeros(const std::vector<Tensor>& parts) {
  std::vector<Tensor> tangents;
  for (const Tensor& p : parts) {
    const Tensor t = tangent_of(p);
    tangents.push_back(t.defined() ? t : zeros_like(p));
  }
  return tangents;
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
  for (const std::int64_t index : indices)
    if (index < 0 || index >= x.shape()[axis])
      throw ShapeError({"gather: index " + std::to_string(index) + " is out of range on axis " +
                            std::to_string(axis),
                        describe(x), "keep 0 <= index < size"});
  return linear_map(
      "gather", x,
      [axis, &indices](const Tensor& t) { return primitive::gather(t, axis, indices); },
      [from = x.shape(), axis, indices](const Tensor& g) {
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
    must_have_one_dtype("concat", parts[0], p);
    if (!(p.shape() == expected))
      throw ShapeError({"concat: parts differ in more than axis " + std::to_string(axis),
                        describe(parts[0]) + " and " + describe(p), "reshape them first"});
    begins.push_back(begins.back() + p.shape()[axis]);
  }
  Tensor y = primitive::concat(parts, axis);
  if (needs_recording(parts)) {
    Edges edges;
    for (const Tensor& p : parts) edges.push_back(edge_of(p));
    auto node = make_node<ConcatNode>(axis, begins);
    node->set_edges(std::move(edges));
    set_history(y, node);
  }
  carry_tangent(y, parts, [&] { return concat(tangents_or_zeros(parts), axis); });
  return y;
}

Tensor stack(const std::vector<Tensor>& parts, int axis) {
  std::vector<Tensor> thick;
  for (const Tensor& p : parts)
    thick.push_back(reshape(p, p.shape().inserted(normalized_axis(axis, p.rank() + 1), 1)));
  return concat(thick, axis);
}

}  // namespace pinn
