#include "autograd/onnx/numbers.h"

#include <cmath>
#include <numbers>
#include <string_view>

#include "autograd/ops/normal_tail.h"

namespace pinn::onnx {
namespace {

bool both_known(const Num& a, const Num& b) { return !a.in && !b.in; }

Num of_two(const char* op, const Num& a, const Num& b) {
  return (a.in ? a.in : b.in)->make(op, {a, b});
}

/// An op of ONNX; of a literal, what the function of the mathematics library says.
Num of_one(const char* op, double (*function)(double), const Num& x) {
  return x.in ? x.in->make(op, {x}) : Num(function(x.number));
}

bool is_single(const Num& x) { return x.in && x.in->element() == Element::float32; }

/// Horner's scheme.
template <class Coefficients> Num polynomial(const Coefficients& c, const Num& x) {
  Num y(c.back());
  for (std::size_t k = c.size() - 1; k-- > 0;) y = y * x + Num(c[k]);
  return y;
}

}  // namespace

Num operator+(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number + b.number);
  return a.is(0) ? b : b.is(0) ? a : of_two("Add", a, b);
}
Num operator-(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number - b.number);
  return b.is(0) ? a : a.is(0) ? -b : of_two("Sub", a, b);
}
Num operator*(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number * b.number);
  if (a.is(0) || b.is(0)) return Num(0);
  return a.is(1) ? b : b.is(1) ? a : of_two("Mul", a, b);
}
Num operator/(const Num& a, const Num& b) {
  if (both_known(a, b)) return Num(a.number / b.number);
  return b.is(1) ? a : of_two("Div", a, b);
}
Num operator-(const Num& a) { return a.in ? a.in->make("Neg", {a}) : Num(-a.number); }

Num select(const Condition& c, const Num& a, const Num& b) {
  if (both_known(c.a, c.b)) {
    const double x = c.a.number, y = c.b.number;
    const std::string_view op = c.op;
    return (op == "Less" ? x < y : op == "LessOrEqual" ? x <= y : x == y) ? a : b;
  }
  if (a.same(b)) return a;
  const Num is = of_two(c.op, c.a, c.b);
  return is.in->make("Where", {is, a, b});
}

Num exp(const Num& x) { return of_one("Exp", std::exp, x); }
Num tanh(const Num& x) { return of_one("Tanh", std::tanh, x); }
Num sin(const Num& x) { return of_one("Sin", std::sin, x); }
Num abs(const Num& x) { return of_one("Abs", std::fabs, x); }
Num floor(const Num& x) { return of_one("Floor", std::floor, x); }
Num sqrt(const Num& x) { return of_one("Sqrt", std::sqrt, x); }
Num log(const Num& x) { return of_one("Log", std::log, x); }
Num pow(const Num& a, const Num& b) {
  return both_known(a, b) ? Num(std::pow(a.number, b.number)) : of_two("Pow", a, b);
}

/// As exact as tanh is, next to 1.
Num sech2(const Num& x) {
  const Num y = tanh(x);
  return (Num(1) - y) * (Num(1) + y);
}

/// 1 - 2 sin(x/2)^2, within three roundings of 1.
Num cos(const Num& x) {
  if (!x.in || is_single(x)) return of_one("Cos", std::cos, x);
  const Num s = sin(Num(0.5) * x);
  return Num(1) - Num(2) * (s * s);
}

Num tan(const Num& x) { return sin(x) / cos(x); }

/// The error of 1 + x, which is x/(u - 1), times the logarithm.
///
///   source   Higham, Accuracy and Stability of Numerical Algorithms (2002), problem 1.5
Num log1p(const Num& x) {
  const Num u = Num(1) + x;
  return select(u == Num(1), x, log(u) * (x / (u - Num(1))));
}

/// In float32, and once more from there on: tan(a - b) = (tan a - tan b) / (1 + tan a tan b).
Num atan(const Num& x) {
  if (!x.in || is_single(x)) return of_one("Atan", std::atan, x);
  constexpr double far = 1e18;
  const Num z = of_two("Max", of_two("Min", x, Num(far)), Num(-far));
  const Num near =
      x.in->cast(of_one("Atan", nullptr, x.in->cast(z, Element::float32)), Element::float64);
  const Num s = sin(near), c = cos(near);
  return near + (z * c - s) / (z * s + c);
}

Num cosh(const Num& x) {
  const Num e = exp(abs(x));
  return Num(0.5) * (e + Num(1) / e);
}
Num sinh(const Num& x) { return tanh(x) * cosh(x); }

/// By the tail of the normal distribution, within two roundings of 1.
Num erf(const Num& x) {
  if (!x.in || is_single(x)) return of_one("Erf", std::erf, x);
  using Tail = NormalTail<double>;
  const Num size = of_two("Min", abs(x), Num(Tail::largest / std::numbers::sqrt2));
  const Num t = Num(std::numbers::sqrt2) * size;
  const Num tail =
      Num(2) * exp(-(size * size)) * polynomial(Tail::above, t) / polynomial(Tail::below, t);
  return select(x < Num(0), tail - Num(1), Num(1) - tail);
}

/// By the ratio of the smaller to the larger one.
Num atan2(const Num& y, const Num& x) {
  if (both_known(x, y)) return Num(std::atan2(y.number, x.number));
  const Num high = abs(y), wide = abs(x);
  const Num less = select(high < wide, high, wide), more = select(high < wide, wide, high);
  const Num first = atan(select(more == Num(0), Num(0), less / more));
  const Num right = select(wide < high, Num(std::numbers::pi / 2) - first, first);
  const Num upper = select(x < Num(0), Num(std::numbers::pi) - right, right);
  return select(y < Num(0), -upper, upper);
}

}  // namespace pinn::onnx
