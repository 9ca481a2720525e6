#include <array>
#include <cmath>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"
#include "autograd/graph/rules.h"

/// Zeros: adding one may turn -0 into 0, so dropping it may do the reverse; nothing in a step
/// tells the two apart but a division, and a quotient that hangs on the sign of zero has no value
/// worth keeping. Products with a constant zero vanish although 0 * inf is NaN: a zero that stands
/// in the program itself is not a number that happened to be small but says that there is no
/// dependence - the slope of a flat op, a channel that is not there -, and what it says holds for
/// every x. A zero that is only found while the program runs is multiplied as ever.
namespace pinn {
namespace {

using namespace match;
using Found = std::optional<int>;

/// The input that is not number c of a commuting op, as x, if one of them is c.
Found other_than(const Graph& g, const Value& v, double c) {
  if (is_constant(g, v.inputs[1], c)) return v.inputs[0];
  if (is_constant(g, v.inputs[0], c)) return v.inputs[1];
  return {};
}

/// Result of an elementwise op as far as numbers among its inputs tell: x + 0, x * 1, x * 0, the
/// slope of a flat op, a decided choice.
Found already_known(Graph& g, const Value& v) {
  const std::optional<Elementwise> f = elementwise_of(v);
  if (!f) return {};
  std::array<std::optional<double>, 3> x;
  for (std::size_t i = 0; i < v.inputs.size(); ++i)
    if (v.inputs[i] >= 0) x[i] = number(input(g, v, int(i)));
  const std::optional<Simpler> simpler = known(*f, x);
  if (!simpler) return {};
  if (simpler->argument < 0) return build::constant(g, simpler->number, v.shape, v.dtype);
  return build::expanded(g, v.inputs[std::size_t(simpler->argument)], v.shape);
}

/// 0 - x -> -x
Found zero_minus(Graph& g, const Value& v) {
  if (!is_binary<op::Sub>(v) || !is_constant(g, v.inputs[0], 0)) return {};
  return build::expanded(g, build::unary(g, unary_id<op::Neg>, v.inputs[1]), v.shape);
}

/// x * -1, -1 * x, x / -1 -> -x
Found times_minus_one(Graph& g, const Value& v) {
  Found x;
  if (is_binary<op::Mul>(v)) x = other_than(g, v, -1);
  if (is_binary<op::Div>(v) && is_constant(g, v.inputs[1], -1)) x = v.inputs[0];
  if (!x) return {};
  return build::expanded(g, build::unary(g, unary_id<op::Neg>, *x), v.shape);
}

/// Products with zeros are zeros: zeros W, W zeros, and whatever is linear in a zero input.
Found times_zero(Graph& g, const Value& v) {
  const auto zero = [&](int i) { return is_constant(g, v.inputs[i], 0); };
  bool vanishes = false;
  if (v.op == Primitive::matmul || v.op == Primitive::contract || v.op == Primitive::jet_mul ||
      v.op == Primitive::jet_mul_transposed)
    vanishes = zero(0) || zero(1);
  if (v.op == Primitive::jet_pullback) vanishes = zero(1);
  return vanishes ? Found(build::constant(g, 0, v.shape, v.dtype)) : Found();
}

/// The slope of -x is -1.
Found slope_of_neg(Graph& g, const Value& v) {
  if (v.op != Primitive::unary_pullback || v.function != unary_id<op::Neg>) return {};
  return build::unary(g, unary_id<op::Neg>, v.inputs[2]);
}

/// --x -> x
Found double_negation(Graph& g, const Value& v) {
  if (!is_unary<op::Neg>(v) || !is_unary<op::Neg>(input(g, v, 0))) return {};
  return input(g, v, 0).inputs[0];
}

/// x + -y, -y + x -> x - y;  x - -y -> x + y
Found negated_term(Graph& g, const Value& v) {
  const bool add = is_binary<op::Add>(v);
  if (!add && !is_binary<op::Sub>(v)) return {};
  const int other = add ? binary_id<op::Sub> : binary_id<op::Add>;
  if (is_unary<op::Neg>(input(g, v, 1)))
    return build::binary(g, other, v.inputs[0], input(g, v, 1).inputs[0]);
  if (add && is_unary<op::Neg>(input(g, v, 0)))
    return build::binary(g, other, v.inputs[1], input(g, v, 0).inputs[0]);
  return {};
}

/// x times a number.
struct Scaled {
  int x;
  double factor;
};
std::optional<Scaled> scaled(const Graph& g, const Value& v) {
  if (!is_binary<op::Mul>(v)) return {};
  for (const int i : {0, 1})
    if (const auto c = number(input(g, v, i))) return Scaled{v.inputs[1 - i], *c};
  return {};
}
int scale(Graph& g, Scaled s, Shape shape) {
  const int factor = build::constant(g, s.factor, {}, g.values[s.x].dtype);
  return build::expanded(g, build::binary(g, binary_id<op::Mul>, s.x, factor), shape);
}

double product(double a, double b, DType dtype) {
  return dtype == DType::float32 ? double(float(a) * float(b)) : a * b;
}

/// (x * a) * b -> x * (a b), where a b can be told from 0 and infinity.
Found scaled_twice(Graph& g, const Value& v) {
  const auto outer = scaled(g, v);
  if (!outer) return {};
  const auto inner = scaled(g, g.values[outer->x]);
  if (!inner) return {};
  const double factor = product(inner->factor, outer->factor, v.dtype);
  const bool normal =
      v.dtype == DType::float32 ? std::isnormal(float(factor)) : std::isnormal(factor);
  return normal ? Found(scale(g, {inner->x, factor}, v.shape)) : Found();
}

/// -(x * a) and (-x) * a -> x * -a
Found scaled_negation(Graph& g, const Value& v) {
  const bool outside = is_unary<op::Neg>(v);
  const auto s = scaled(g, outside ? input(g, v, 0) : v);
  if (!s) return {};
  if (outside) return scale(g, {s->x, -s->factor}, v.shape);
  const Value& x = g.values[s->x];
  return is_unary<op::Neg>(x) ? Found(scale(g, {x.inputs[0], -s->factor}, v.shape)) : Found();
}

/// where(mask, x, x) -> x
Found equal_branches(Graph& g, const Value& v) {
  if (v.op != Primitive::ternary || v.inputs[1] != v.inputs[2]) return {};
  return build::expanded(g, v.inputs[1], v.shape);
}

/// Value that an expand repeats, and for a constant its one number.
int unexpanded(Graph& g, int i) {
  const Value& x = g.values[i];
  if (x.op == Primitive::expand) return x.inputs[0];
  if (const auto c = number(x); c && x.shape.rank() > 0) return build::constant(g, *c, {}, x.dtype);
  return i;
}

/// f(expand x) -> expand f(x), and f(expand x, y) -> f(x, y): elementwise ops broadcast by
/// themselves, and what is the same for many elements is computed once.
Found late_expand(Graph& g, const Value& v) {
  if (v.op != Primitive::unary && v.op != Primitive::binary && v.op != Primitive::ternary)
    return {};
  std::vector<int> inputs;
  for (const int i : v.inputs) inputs.push_back(unexpanded(g, i));
  if (inputs == v.inputs) return {};
  return build::expanded(g, build::redone(g, v, inputs), v.shape);
}

constexpr Rewrite of_arithmetic[] = {
    {"already known", already_known},     {"zero minus", zero_minus},
    {"times minus one", times_minus_one}, {"times zero", times_zero},
    {"slope of neg", slope_of_neg},       {"double negation", double_negation},
    {"negated term", negated_term},       {"scaled twice", scaled_twice},
    {"scaled negation", scaled_negation}, {"equal branches", equal_branches},
    {"late expand", late_expand},
};

}  // namespace

std::span<const Rewrite> arithmetic_rewrites() { return of_arithmetic; }

}  // namespace pinn
