#include "tests/autograd/graph/random_graph.h"

#include <functional>
#include <optional>

#include "autograd/core/error.h"
#include "tests/autograd/graph/write.h"
#include "tests/dice.h"

namespace pinn::test {
namespace {

/// A graph in the making. Each member below that is listed in `moves` adds a value or a few, with
/// inputs found among those that are there; it returns without effect where there are none.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : dice(seed), casts(seed % 4 == 0) {}
  Sample written();

 private:
  using Test = std::function<bool(const Value&)>;

  /// Some value that passes the test.
  std::optional<int> some(const Test& passes);
  /// Any value, often a late one, so that ops follow on each other.
  int any();
  int any_of_rank(int least);
  const Shape& shape(int i) const { return g.values[i].shape; }
  int last_axis(int i) const { return shape(i).rank() - 1; }
  int axis_of(int i) { return int(dice.below(shape(i).rank())); }

  void add_inputs();
  void add_constants();

  void unary_op();
  void pullback_op();
  void binary_op();
  void scale();
  void signs_and_factors();
  void select();
  void change_dtype();
  void sum();
  void change_shape();
  void exchange_axes();
  void take_slice();
  void put_in();
  void put_together();
  void take_apart();
  void pick();
  void repeat();
  void product();
  void products_of_one_row();
  void row_contraction();
  void jet_op();

  Dice dice;
  bool casts;
  Graph g;
  std::shared_ptr<const JetTable> table = jet_table({{0}, {1}, {2}});
};

std::optional<int> Writer::some(const Test& passes) {
  std::vector<int> found;
  for (int i = 0; i < int(g.values.size()); ++i)
    if (passes(g.values[i])) found.push_back(i);
  if (found.empty()) return {};
  return found[dice.below(std::int64_t(found.size()))];
}

int Writer::any() {
  const std::int64_t all = std::int64_t(g.values.size());
  return int(all - 1 - dice.below(dice.below(2) == 0 ? 3 : all));
}

int Writer::any_of_rank(int least) {
  return *some([&](const Value& v) { return v.shape.rank() >= least; });
}

void Writer::add_inputs() {
  input(g, "x", {P, 3});
  input(g, "y", {P, 1});
  input(g, "z", {P});
  input(g, "h", {P, 3, 2});
  input(g, "a", {P, 3, 1});
  input(g, "w", {3, 2});
  input(g, "v", {2, 3});
  input(g, "q", {2, 2});
  input(g, "b", {2});
  input(g, "c", {1, 3});
  input(g, "s", {});
}

void Writer::add_constants() {
  for (int n = 0; n < 4; ++n) {
    const double number = dice.one_of({0., 0., 1., -1., 2., 0.5, -4.});
    constant(g, number, dice.one_of<Shape>({{}, {}, {1}, {3}, {P}, {P, 3}, {P, 1}, {2, 3}}));
  }
  constants(g, {1, 0.5, -2}, {3});
  constants(g, {1, 1, 1}, {3});
}

void Writer::unary_op() {
  build::unary(g,
               dice.one_of({unary_id<op::Neg>, unary_id<op::Neg>, unary_id<op::Tanh>,
                            unary_id<op::Sin>, unary_id<op::Square>, unary_id<op::Step>}),
               any());
}

void Writer::pullback_op() {
  const auto y = some([](const Value& v) { return v.op == Primitive::unary; });
  if (!y) return;
  const auto dy = some([&](const Value& v) { return v.shape == shape(*y); });
  Value v;
  v.function = g.values[*y].function;
  make(g, Primitive::unary_pullback, {g.values[*y].inputs[0], *y, *dy}, v);
}

void Writer::binary_op() {
  build::binary(
      g,
      dice.one_of({binary_id<op::Add>, binary_id<op::Add>, binary_id<op::Sub>, binary_id<op::Mul>,
                   binary_id<op::Mul>, binary_id<op::Min>, binary_id<op::Less>}),
      any(), any());
}

void Writer::scale() {
  const auto c = some([](const Value& v) { return v.op == Primitive::constant; });
  const bool divides = g.values[*c].numbers[0] != 0 && dice.below(3) == 0;
  const int x = any();
  if (divides)
    binary<op::Div>(g, x, *c);
  else if (dice.below(2) == 0)
    mul(g, x, *c);
  else
    sub(g, *c, x);
}

void Writer::signs_and_factors() {
  int x = any();
  for (int n = 0; n < 3; ++n)
    x = dice.below(2) == 0 ? neg(g, x) : mul(g, x, constant(g, dice.one_of({2., -0.5, 4.})));
  build::binary(g, dice.one_of({binary_id<op::Add>, binary_id<op::Sub>}), any(), x);
}

void Writer::select() { where(g, any(), any(), any()); }

void Writer::change_dtype() {
  if (!casts) return;
  const int x = any();
  const DType here = g.values[x].dtype;
  const DType there = here == DType::float64 ? DType::float32 : DType::float64;
  const int y = cast(g, x, dice.one_of({here, there}));
  if (dice.below(2) == 0) cast(g, cast(g, y, here), there);
}

void Writer::sum() {
  const int x = any();
  Shape to = shape(x);
  for (int i = 0; i < to.rank(); ++i)
    if (dice.below(2) == 0) to[i] = 1;
  while (to.rank() > 0 && to[0] == 1 && dice.below(2) == 0) to = to.removed(0);
  sum_to(g, x, to);
}

void Writer::change_shape() {
  const int x = any();
  const Shape from = shape(x);
  const int axis = int(dice.below(from.rank() + 1));
  if (axis < from.rank() && from[axis] == 1)
    reshape(g, x, from.removed(axis));
  else if (dice.below(3) == 0)
    reshape(g, x, from);
  else
    reshape(g, x, from.inserted(axis, 1));
}

void Writer::exchange_axes() {
  const int x = any_of_rank(1);
  const int a = axis_of(x), b = axis_of(x), y = transpose(g, x, a, b);
  if (dice.below(2) == 0) transpose(g, y, b, a);
}

void Writer::take_slice() {
  const int x = any_of_rank(1), axis = axis_of(x);
  const std::int64_t size = shape(x)[axis];
  if (size == P) return;
  const std::int64_t begin = dice.below(size);
  slice(g, x, axis, begin, begin + 1 + dice.below(size - begin));
}

void Writer::put_in() {
  const int x = any_of_rank(1), axis = axis_of(x);
  Shape whole = shape(x);
  if (whole[axis] > 6) return;
  whole[axis] += dice.below(3);
  embed(g, x, whole, axis, dice.below(whole[axis] - shape(x)[axis] + 1));
}

void Writer::put_together() {
  const int x = any_of_rank(1), axis = axis_of(x);
  std::vector<int> parts{x};
  for (std::int64_t n = dice.below(3); n > 0; --n)
    parts.push_back(*some([&](const Value& v) {
      if (v.shape.rank() != shape(x).rank() || v.shape[axis] > 4) return v.shape == shape(x);
      Shape expected = shape(x);
      expected[axis] = v.shape[axis];
      return v.shape == expected;
    }));
  concat(g, parts, axis);
}

/// Slices along an axis, and together again: as they were, or as the gradients of slices are.
void Writer::take_apart() {
  const int x = any_of_rank(2), axis = last_axis(x);
  const std::int64_t size = shape(x)[axis];
  if (size < 2) return;
  const std::int64_t cut = 1 + dice.below(size - 1);
  const int first = slice(g, x, axis, 0, cut), second = slice(g, x, axis, cut, size);
  if (dice.below(2) == 0) {
    concat(g, {first, second}, axis);
    return;
  }
  const Shape whole = shape(x);
  add(g, embed(g, unary<op::Sin>(g, first), whole, axis, 0),
      embed(g, second, whole, axis, dice.below(2) == 0 ? cut : 0));
}

void Writer::pick() {
  const int x = any_of_rank(1), axis = axis_of(x);
  const std::int64_t size = shape(x)[axis];
  if (size == P) return;
  std::vector<std::int64_t> indices{dice.below(size)};
  const bool range = dice.below(2) == 0;
  for (std::int64_t n = dice.below(4); n > 0; --n)
    indices.push_back(range ? std::min(indices.back() + 1, size - 1) : dice.below(size));
  gather(g, x, axis, indices);
}

void Writer::repeat() {
  const int x = any();
  Shape to = shape(x);
  for (int i = 0; i < to.rank(); ++i)
    if (to[i] == 1) to[i] = i == 0 ? dice.one_of<std::int64_t>({1, P}) : 1 + dice.below(3);
  if (to.rank() < 3 && !is_row(to) && dice.below(2) == 0) to = to.inserted(0, P);
  expand(g, x, to);
}

void Writer::product() {
  const int x = any_of_rank(2);
  const auto w = some([&](const Value& v) {
    return v.shape.rank() == 2 && v.shape[0] == shape(x)[last_axis(x)] &&
           v.dtype == g.values[x].dtype && v.extent == Extent::fixed;
  });
  if (w) matmul(g, x, *w);
}

void Writer::products_of_one_row() {
  const auto h = some([](const Value& v) { return v.shape.rank() == 3 && v.shape[2] == 2; });
  if (!h) return;
  for (int n = 0; n < 2; ++n) {
    const auto w = some([](const Value& v) { return v.shape == Shape{2, 2}; });
    const auto b = some([](const Value& v) { return v.shape == Shape{2}; });
    linear(g, *h, *w, *b);
  }
}

void Writer::row_contraction() {
  const int x = any_of_rank(2);
  const auto y = some([&](const Value& v) {
    if (v.shape.rank() != shape(x).rank()) return false;
    Shape expected = shape(x);
    expected[last_axis(x)] = v.shape[last_axis(x)];
    return v.shape == expected;
  });
  const int product = contract(g, x, *y);
  if (dice.below(2) == 0) transpose(g, product, 0, 1);
}

void Writer::jet_op() {
  const auto is_jet = [](const Value& v) {
    return v.shape.rank() == 3 && is_row(v.shape) && v.shape[1] == 3;
  };
  const auto a = some(is_jet);
  const auto same = some([&](const Value& v) { return v.shape == shape(*a); });
  const auto b = some(is_jet);
  const int op = dice.one_of({unary_id<op::Tanh>, unary_id<op::Sin>, unary_id<op::Sigmoid>});
  const Value v = on_jets(table, op, int(dice.below(2)));
  switch (dice.below(4)) {
    case 0:
      make(g, Primitive::jet, {*a}, v);
      break;
    case 1:
      make(g, Primitive::jet_pullback, {*a, *same}, v);
      break;
    case 2:
      make(g, Primitive::jet_mul, {*a, *b}, on_jets(table));
      break;
    default:
      make(g, Primitive::jet_mul_transposed, {*a, *b}, on_jets(table));
  }
}

Tensor numbers(const Random& random, Shape shape, std::int64_t points) {
  if (is_row(shape)) shape[0] = points;
  std::vector<double> all(std::size_t(shape.numel()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = random.normal(i) / 2;
  return from_values(all, shape);
}

Sample Writer::written() {
  using W = Writer;
  constexpr void (W::*moves[])() = {&W::unary_op,
                                    &W::pullback_op,
                                    &W::binary_op,
                                    &W::binary_op,
                                    &W::binary_op,
                                    &W::scale,
                                    &W::scale,
                                    &W::signs_and_factors,
                                    &W::select,
                                    &W::change_dtype,
                                    &W::sum,
                                    &W::change_shape,
                                    &W::exchange_axes,
                                    &W::take_slice,
                                    &W::put_in,
                                    &W::put_together,
                                    &W::take_apart,
                                    &W::pick,
                                    &W::repeat,
                                    &W::product,
                                    &W::row_contraction,
                                    &W::products_of_one_row,
                                    &W::jet_op};
  add_inputs();
  add_constants();
  const std::size_t length = g.values.size() + 40;
  while (g.values.size() < length) try {
      (this->*moves[dice.below(std::size(moves))])();
    } catch (const Error&) {  // what the graph refuses is not part of it
    }
  for (int i = 0; i < int(g.values.size()); ++i)
    if (i + 8 >= int(g.values.size()) || dice.below(8) == 0) g.outputs.push_back(i);
  Sample sample{g, {}, 1 + dice.below(6), casts ? 2e-5 : 1e-13};
  for (std::size_t i = 0; i < g.values.size(); ++i)
    if (g.values[i].op == Primitive::input)
      sample.inputs[g.values[i].name] = numbers(dice.stream(i), g.values[i].shape, sample.points);
  return sample;
}

}  // namespace

Sample random_sample(std::uint64_t number) { return Writer(number).written(); }

}  // namespace pinn::test
