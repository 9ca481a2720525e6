#include <numeric>

#include "autograd/core/error.h"
#include "autograd/cpu/elementwise.h"
#include "autograd/tape/body.h"
#include "autograd/tape/formula.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"

namespace pinn {
namespace {

/// A linear map of one tensor: its derivative is another linear map, given as a function.
class LinearMapNode : public Node {
 public:
  using Adjoint = std::function<Tensor(const Tensor&)>;
  LinearMapNode(const char* name, Adjoint adjoint) : name_(name), adjoint_(std::move(adjoint)) {}
  const char* name() const override { return name_; }
  Gradients apply(const Gradients& grads) override {
    if (!grads[0].defined() || !wanted(0)) return {};
    note_formula(*this, 0);
    return {adjoint_(grads[0])};
  }

 private:
  const char* name_;
  Adjoint adjoint_;
};

/// Records y as a linear map of x.
Tensor recorded(Tensor y, const Tensor& x, const char* name, LinearMapNode::Adjoint adjoint) {
  if (!needs_recording({&x})) return y;
  auto node = make_node<LinearMapNode>(name, std::move(adjoint));
  node->set_edges({edge_of(x)});
  set_history(y, node);
  return y;
}

Tensor embed_data(const Tensor& x, const Shape& shape, int axis, std::int64_t begin) {
  Tensor y = zeros(shape, x.dtype());
  const Tensor data = contiguous_data(x);
  char* at =
      static_cast<char*>(y.raw()) + begin * y.strides()[axis] * std::int64_t(size_of(x.dtype()));
  cpu::copy_into(x.dtype(), x.shape(), data.raw(), at, y.strides());
  return y;
}

/// y[indices[i]] += x[i] along an axis: the adjoint of gather.
Tensor scatter(const Tensor& x, const Shape& shape, int axis,
               const std::vector<std::int64_t>& indices) {
  Tensor y = zeros(shape, x.dtype());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Tensor part =
        contiguous_data(slice(x.detach(), axis, std::int64_t(i), std::int64_t(i) + 1));
    char* at = static_cast<char*>(y.raw()) +
               indices[i] * y.strides()[axis] * std::int64_t(size_of(x.dtype()));
    cpu::add_into(x.dtype(), part.shape(), part.raw(), at, y.strides());
  }
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

void must_be_free_to_change(const Tensor& t, const char* what) {
  if (recording() && t.requires_grad())
    throw EngineError(
        {std::string(what) + ": a tensor that requires a gradient was changed in place",
         describe(t), "do it inside a NoGrad scope, or make a new tensor"});
  for (int i = 0; i < t.rank(); ++i)
    if (t.strides()[i] == 0 && t.shape()[i] > 1)
      throw EngineError(
          {std::string(what) + ": one element stands for several in an expanded tensor",
           describe(t), "clone() it first"});
}

/// The elements of x, row by row, in memory that a change of t does not reach.
Tensor source_for(const Tensor& t, const Tensor& x) {
  const Tensor data = contiguous_data(x);
  return data.storage_id() == t.storage_id() ? data.detach().clone() : data;
}

}  // namespace

Tensor contiguous_data(const Tensor& t) {
  if (t.is_contiguous()) return t.requires_grad() ? t.detach() : t;
  Tensor copy = allocate(t.shape(), t.dtype());
  cpu::copy(t.dtype(), t.dtype(), t.shape(), {t.raw(), t.strides()}, copy.raw());
  return copy;
}

Tensor Tensor::clone() const {
  Tensor y = allocate(shape(), dtype());
  cpu::copy(dtype(), dtype(), shape(), {raw(), strides()}, y.raw());
  return recorded(y, *this, "clone", [](const Tensor& g) { return g; });
}

Tensor reshape(const Tensor& x, const Shape& wanted) {
  const Shape shape = with_inferred_size(wanted, x.numel());
  const Tensor data = x.is_contiguous() ? x : contiguous_data(x);
  return recorded(alias(data, shape, contiguous_strides(shape), data.body()->offset), x, "reshape",
                  [from = x.shape()](const Tensor& g) { return reshape(g, from); });
}

Tensor transpose(const Tensor& x, int a, int b) {
  a = normalized_axis(a, x.rank());
  b = normalized_axis(b, x.rank());
  Shape shape = x.shape();
  Sizes strides = x.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return recorded(alias(x, shape, strides, x.body()->offset), x, "transpose",
                  [a, b](const Tensor& g) { return transpose(g, a, b); });
}

Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end) {
  axis = normalized_axis(axis, x.rank());
  if (begin < 0 || end < begin || end > x.shape()[axis])
    throw ShapeError({"slice [" + std::to_string(begin) + ", " + std::to_string(end) +
                          ") is out of range on axis " + std::to_string(axis),
                      describe(x), "keep 0 <= begin <= end <= size"});
  Shape shape = x.shape();
  shape[axis] = end - begin;
  return recorded(
      alias(x, shape, x.strides(), x.body()->offset + begin * x.strides()[axis]), x, "slice",
      [from = x.shape(), axis, begin](const Tensor& g) { return embed(g, from, axis, begin); });
}

Tensor select(const Tensor& x, int axis, std::int64_t index) {
  axis = normalized_axis(axis, x.rank());
  const Tensor one = slice(x.detach(), axis, index, index + 1);
  Sizes strides{};
  for (int i = 0, j = 0; i < x.rank(); ++i)
    if (i != axis) strides[j++] = x.strides()[i];
  return recorded(alias(one, x.shape().removed(axis), strides, one.body()->offset), x, "select",
                  [from = x.shape(), thick = one.shape(), axis, index](const Tensor& g) {
                    return embed(reshape(g, thick), from, axis, index);
                  });
}

Tensor expand(const Tensor& x, const Shape& shape) {
  if (!broadcasts_to(x.shape(), shape))
    throw ShapeError({"expand cannot shrink axes", describe(x) + " to " + to_string(shape),
                      "sum_to() does that"});
  Sizes strides{};
  const int shift = shape.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i)
    if (x.shape()[i] == shape[i + shift]) strides[i + shift] = x.strides()[i];
  return recorded(alias(x, shape, strides, x.body()->offset), x, "expand",
                  [from = x.shape()](const Tensor& g) { return sum_to(g, from); });
}

Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin) {
  return recorded(embed_data(x, shape, axis, begin), x, "embed",
                  [axis, begin, end = begin + x.shape()[axis]](const Tensor& g) {
                    return slice(g, axis, begin, end);
                  });
}

Tensor gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices) {
  axis = normalized_axis(axis, x.rank());
  Shape shape = x.shape();
  shape[axis] = std::int64_t(indices.size());
  Tensor y = allocate(shape, x.dtype());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Tensor part = contiguous_data(slice(x.detach(), axis, indices[i], indices[i] + 1));
    char* at = static_cast<char*>(y.raw()) +
               std::int64_t(i) * y.strides()[axis] * std::int64_t(size_of(x.dtype()));
    cpu::copy_into(x.dtype(), part.shape(), part.raw(), at, y.strides());
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

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (!broadcasts_to(shape, x.shape()))
    throw ShapeError({"sum_to needs a shape that broadcasts to the tensor's",
                      describe(x) + " to " + to_string(shape), "give axes of size 1 or equal"});
  Tensor y = zeros(shape, x.dtype());
  Sizes strides{};
  const int shift = x.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] == x.shape()[i + shift]) strides[i + shift] = y.strides()[i];
  cpu::sum(x.dtype(), x.shape(), {x.raw(), x.strides()}, y.raw(), strides);
  return recorded(y, x, "sum", [from = x.shape()](const Tensor& g) { return expand(g, from); });
}

Tensor sum(const Tensor& x) { return sum_to(x, {}); }

Tensor sum(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  Shape kept = x.shape();
  for (const int a : axes) kept[normalized_axis(a, x.rank())] = 1;
  const Tensor y = sum_to(x, kept);
  if (keep) return y;
  Shape dropped;
  for (int i = 0; i < x.rank(); ++i) {
    bool reduced = false;
    for (const int a : axes) reduced |= normalized_axis(a, x.rank()) == i;
    if (!reduced) dropped = dropped.inserted(dropped.rank(), x.shape()[i]);
  }
  return reshape(y, dropped);
}

Tensor mean(const Tensor& x) { return sum(x) * (1.0 / double(x.numel())); }

Tensor mean(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  double n = 1;
  for (const int a : axes) n *= double(x.size(a));
  return sum(x, axes, keep) * (1.0 / n);
}

void add_in_place(Tensor& t, const Tensor& g) {
  must_be_free_to_change(t, "add_in_place");
  const Tensor data = source_for(t, g);
  if (!(data.shape() == t.shape()) || data.dtype() != t.dtype())
    throw ShapeError({"add_in_place needs equal shapes and dtypes",
                      describe(t) + " and " + describe(g), "reshape or cast the addend"});
  cpu::add_into(t.dtype(), t.shape(), data.raw(), t.raw(), t.strides());
  ++t.body()->storage->version;
}

void copy_in_place(Tensor& t, const Tensor& x) {
  must_be_free_to_change(t, "copy_in_place");
  const Tensor data = source_for(t, cast(x.detach(), t.dtype()));
  if (!(data.shape() == t.shape()))
    throw ShapeError({"copy_in_place needs equal shapes", describe(t) + " and " + describe(x),
                      "reshape the source"});
  cpu::copy_into(t.dtype(), t.shape(), data.raw(), t.raw(), t.strides());
  ++t.body()->storage->version;
}

}  // namespace pinn
