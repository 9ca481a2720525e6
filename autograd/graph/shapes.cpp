#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/graph/rules.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/float_format.h"
#include "autograd/ops/unary.h"

namespace pinn {
namespace {

/// A value that is about to be added, and its inputs.
struct Call {
  const Graph& graph;
  const Value& v;

  bool has(int i) const { return v.inputs[i] >= 0; }
  const Shape& of(int i) const { return graph.values[v.inputs[i]].shape; }
  void needs(bool fits, const char* need) const {
    if (!fits)
      throw InternalError({std::string(name_of(v.op)) + " needs " + need, describe(graph, v),
                           "report this as a bug of the program that traced it"});
  }
};

Shape with_last(const Shape& shape, std::int64_t size) {
  return with_size(shape, shape.rank() - 1, size);
}

bool has_axis(const Shape& shape, int axis) { return axis >= 0 && axis < shape.rank(); }
/// True if two shapes differ at most along an axis that both have.
bool differ_along(const Shape& a, const Shape& b, int axis) {
  return a.rank() == b.rank() && has_axis(a, axis) && with_size(a, axis, b[axis]) == b;
}
bool broadcast_together(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t n = a[a.rank() - i], m = b[b.rank() - i];
    if (n != m && n != 1 && m != 1) return false;
  }
  return true;
}

Shape input_shape(const Call& c) { return c.v.shape; }

Shape constant_shape(const Call& c) {
  const std::int64_t numbers = std::int64_t(c.v.numbers.size());
  c.needs(numbers == 1 || numbers == c.v.shape.numel(), "one number, or one per element");
  return c.v.shape;
}

Shape unary_shape(const Call& c) {
  c.needs(c.v.function >= 0 && c.v.function < Unary::size, "an op of the list of unary ops");
  return c.of(0);
}

Shape unary_pullback_shape(const Call& c) {
  c.needs(c.v.function >= 0 && c.v.function < Unary::size, "an op of the list of unary ops");
  visit_unary(c.v.function, [&]<class Op>() {
    c.needs((c.has(0) || !Op::uses_x) && (c.has(1) || !Op::uses_y), "what the op's slope reads");
  });
  for (const int i : {0, 1}) c.needs(!c.has(i) || c.of(i) == c.of(2), "inputs of one shape");
  return c.of(2);
}

Shape binary_shape(const Call& c) {
  c.needs(c.v.function >= 0 && c.v.function < Binary::size, "an op of the list of binary ops");
  c.needs(broadcast_together(c.of(0), c.of(1)), "shapes that broadcast");
  return broadcast(c.of(0), c.of(1));
}

Shape ternary_shape(const Call& c) {
  c.needs(c.v.function >= 0 && c.v.function < Ternary::size, "an op of the list of ternary ops");
  c.needs(broadcast_together(c.of(1), c.of(2)), "shapes that broadcast");
  const Shape branches = broadcast(c.of(1), c.of(2));
  c.needs(broadcast_together(c.of(0), branches), "shapes that broadcast");
  return broadcast(c.of(0), branches);
}

Shape cast_shape(const Call& c) { return c.of(0); }

Shape sum_to_shape(const Call& c) {
  c.needs(broadcasts_to(c.v.shape, c.of(0)), "a shape that broadcasts to its input's");
  return c.v.shape;
}

Shape reshape_shape(const Call& c) {
  c.needs(c.v.shape.numel() == c.of(0).numel(), "a shape of as many elements");
  return c.v.shape;
}

Shape transpose_shape(const Call& c) {
  Shape shape = c.of(0);
  c.needs(has_axis(shape, c.v.axis) && has_axis(shape, c.v.axis2), "two axes that are there");
  std::swap(shape[c.v.axis], shape[c.v.axis2]);
  return shape;
}

/// True if the smaller array lies in the larger one, from v.begin along v.axis.
bool is_window(const Value& v, const Shape& small, const Shape& large) {
  return differ_along(small, large, v.axis) && v.begin >= 0 && small[v.axis] >= 0 &&
         v.begin + small[v.axis] <= large[v.axis];
}

Shape slice_shape(const Call& c) {
  c.needs(is_window(c.v, c.v.shape, c.of(0)), "a window of its input");
  return c.v.shape;
}

Shape expand_shape(const Call& c) {
  c.needs(broadcasts_to(c.of(0), c.v.shape), "a shape that its input's broadcasts to");
  return c.v.shape;
}

Shape embed_shape(const Call& c) {
  c.needs(is_window(c.v, c.of(0), c.v.shape), "a window for its input");
  return c.v.shape;
}

Shape concat_shape(const Call& c) {
  c.needs(!c.v.inputs.empty(), "at least one part");
  Shape shape = c.of(0);
  for (int i = 1; i < int(c.v.inputs.size()); ++i) {
    c.needs(differ_along(c.of(i), shape, c.v.axis), "parts that differ along its axis only");
    shape[c.v.axis] += c.of(i)[c.v.axis];
  }
  c.needs(has_axis(shape, c.v.axis), "an axis that is there");
  return shape;
}

Shape gather_shape(const Call& c) {
  c.needs(has_axis(c.of(0), c.v.axis), "an axis that is there");
  for (const std::int64_t index : c.v.indices)
    c.needs(index >= 0 && index < c.of(0)[c.v.axis], "indices that are there");
  return with_size(c.of(0), c.v.axis, std::int64_t(c.v.indices.size()));
}

Shape matmul_shape(const Call& c) {
  const Shape &x = c.of(0), &w = c.of(1);
  c.needs(x.rank() >= 2 && w.rank() == 2 && last(x) == w[0], "x [..., k] and w [k, n]");
  return with_last(x, w[1]);
}

Shape contract_shape(const Call& c) {
  const Shape &x = c.of(0), &g = c.of(1);
  c.needs(x.rank() >= 2 && differ_along(x, g, x.rank() - 1), "x [..., k] and g [..., n]");
  return {last(x), last(g)};
}

Shape linear_shape(const Call& c) {
  const Shape &x = c.of(0), &w = c.of(1);
  c.needs(x.rank() == 3 && w.rank() == 2 && last(x) == w[0] && c.of(2) == Shape{w[1]},
          "x [points, channels, k], w [k, n] and b [n]");
  return with_last(x, w[1]);
}

/// A jet is [points, channels, features] with the channels of its table.
void needs_jet(const Call& c, int i) {
  c.needs(c.v.table != nullptr, "a table of products");
  c.needs(c.of(i).rank() == 3 && c.of(i)[1] == c.v.table->size(), "jets of its table's channels");
}

Shape jet_shape(const Call& c) {
  c.needs(c.v.function >= 0 && c.v.function < Unary::size && c.v.derivative >= 0,
          "an op of the list of unary ops");
  needs_jet(c, 0);
  return c.of(0);
}

Shape jet_pullback_shape(const Call& c) {
  c.needs(c.of(0) == c.of(1), "inputs of one shape");
  return jet_shape(c);
}

Shape jet_mul_shape(const Call& c) {
  needs_jet(c, 0);
  needs_jet(c, 1);
  c.needs(c.of(0)[0] == c.of(1)[0] && broadcast_together(c.of(0), c.of(1)),
          "jets of equally many points and features");
  return broadcast(c.of(0), c.of(1));
}

Shape round_shape(const Call& c) {
  c.needs(c.v.format >= 0 && c.v.format < int(std::size(float_formats)),
          "a format of the list of formats");
  return c.of(0);
}

Shape lookup_shape(const Call& c) {
  c.needs(c.v.source && int(c.v.inputs.size()) == c.v.source->inputs(),
          "a function of as many numbers");
  for (int i = 1; i < int(c.v.inputs.size()); ++i)
    c.needs(c.of(i) == c.of(0), "inputs of one shape");
  return c.of(0);
}

struct Rule {
  const char* name;
  int inputs;  ///< -1: any number of them
  Shape (*shape)(const Call&);
};

/// In the order of Primitive.
constexpr Rule of_ops[] = {
    {"input", 0, input_shape},       {"constant", 0, constant_shape},
    {"unary", 1, unary_shape},       {"unary_pullback", 3, unary_pullback_shape},
    {"binary", 2, binary_shape},     {"ternary", 3, ternary_shape},
    {"cast", 1, cast_shape},         {"sum_to", 1, sum_to_shape},
    {"reshape", 1, reshape_shape},   {"transpose", 1, transpose_shape},
    {"slice", 1, slice_shape},       {"expand", 1, expand_shape},
    {"embed", 1, embed_shape},       {"concat", -1, concat_shape},
    {"gather", 1, gather_shape},     {"matmul", 2, matmul_shape},
    {"contract", 2, contract_shape}, {"linear", 3, linear_shape},
    {"jet", 1, jet_shape},           {"jet_pullback", 2, jet_pullback_shape},
    {"jet_mul", 2, jet_mul_shape},   {"jet_mul_transposed", 2, jet_mul_shape},
    {"round", 1, round_shape},       {"lookup", -1, lookup_shape},
};
static_assert(std::size(of_ops) == std::size_t(Primitive::lookup) + 1);

/// x or y of a pullback may be left out, nothing else.
bool may_be_missing(const Value& v, int i) { return v.op == Primitive::unary_pullback && i < 2; }

}  // namespace

const char* name_of(Primitive op) { return of_ops[int(op)].name; }

Shape shape_of(const Graph& graph, const Value& v) {
  const Rule& rule = of_ops[int(v.op)];
  const Call call{graph, v};
  const int inputs = int(v.inputs.size());
  call.needs(rule.inputs < 0 || inputs == rule.inputs, "another number of inputs");
  for (int i = 0; i < inputs; ++i)
    call.needs(call.has(i) || may_be_missing(v, i), "all of its inputs");
  return rule.shape(call);
}

}  // namespace pinn
