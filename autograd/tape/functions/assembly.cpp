#include <algorithm>
#include <numeric>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

/// An array that is put together along an axis, from its start to its end.
class Assembly {
 public:
  Assembly(const Shape& shape, int axis, const Tensor& like)
      : shape_(shape), axis_(axis), zero_(zeros({}, like.dtype(), like.device())) {}
  void add(const Tensor& part) {
    parts_.push_back(part);
    size_ += part.shape()[axis_];
  }
  void fill_with_zeros_to(std::int64_t end) {
    if (end == size_) return;
    Shape gap = shape_;
    gap[axis_] = end - size_;
    add(primitive::expand(zero_, gap));
  }
  Tensor whole() {
    fill_with_zeros_to(shape_[axis_]);
    return parts_.empty() ? primitive::expand(zero_, shape_) : primitive::concat(parts_, axis_);
  }

 private:
  Shape shape_;
  int axis_;
  Tensor zero_;
  std::vector<Tensor> parts_;
  std::int64_t size_ = 0;
};

/// y[indices[i]] += x[i] along an axis, in the order of i. Each element of x and y is visited once;
/// what stays side by side is moved together.
Tensor scattered(const Tensor& x, const Shape& shape, int axis,
                 const std::vector<std::int64_t>& indices) {
  std::vector<std::int64_t> order(indices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto i, auto j) { return indices[i] < indices[j]; });
  const std::size_t n = order.size();
  const auto target = [&](std::size_t i) { return i < n ? indices[order[i]] : -1; };
  const auto window = [&](std::int64_t begin, std::size_t size) {
    return primitive::slice(x, axis, begin, begin + std::int64_t(size));
  };
  Assembly y(shape, axis, x);
  for (std::size_t i = 0, next; i < n; i = next) {
    y.fill_with_zeros_to(target(i));
    const auto goes_on = [&](std::size_t j) {
      return order[j] == order[i] + std::int64_t(j - i) &&
             target(j) == target(i) + std::int64_t(j - i) && target(j + 1) != target(j);
    };
    next = i + 1;
    if (target(next) != target(i)) {
      while (next < n && goes_on(next)) ++next;
      y.add(window(order[i], next - i));
      continue;
    }
    Tensor sum = window(order[i], 1);
    for (; target(next) == target(i); ++next)
      sum = primitive::binary(binary_id<op::Add>, sum, window(order[next], 1));
    y.add(sum);
  }
  return y.whole();
}

/// The adjoint of gather.
Tensor scatter(const Tensor& x, const Shape& shape, int axis,
               const std::vector<std::int64_t>& indices) {
  return linear_map(
      "scatter", x, [&](const Tensor& t) { return scattered(t, shape, axis, indices); },
      [axis, indices](const Tensor& g) { return gather(g, axis, indices); });
}

std::vector<Tensor> tangents_or_zeros(const std::vector<Tensor>& parts) {
  std::vector<Tensor> tangents;
  for (const Tensor& p : parts) {
    const Tensor t = tangent_of(p);
    tangents.push_back(t.defined() ? t : zeros_like(p));
  }
  return tangents;
}

class ConcatNode : public SideNode {
 public:
  ConcatNode(int axis, std::vector<std::int64_t> begins)
      : axis_(axis), begins_(std::move(begins)) {}
  const char* name() const override { return "concat"; }

 private:
  Tensor side(int i, const Tensor& g) override {
    return slice(g, axis_, begins_[i], begins_[i + 1]);
  }
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
