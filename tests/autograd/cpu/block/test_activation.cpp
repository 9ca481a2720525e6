#include "autograd/cpu/block/activation.h"

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/cpu/block/jet.h"
#include "autograd/ops/unary.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::cpu;
using pinn::test::larger;

namespace {

/// f(x) of a block jet and f'(x), lane by lane.
template <class T> struct ValueAndSlope {
  std::vector<T> value, slope;

  ValueAndSlope(int op, const std::vector<T>& x) {
    const auto table = jet_table({MultiIndex{1}});
    std::vector<T> h = x, y(2 * x.size());
    h.resize(2 * x.size(), T(1));
    BlockJet<T>(op, 0, 0, *table).value(1, x.size(), {h.data(), 0}, {y.data(), 0}, nullptr);
    value.assign(y.begin(), y.begin() + std::ptrdiff_t(x.size()));
    slope.assign(y.begin() + std::ptrdiff_t(x.size()), y.end());
  }
};

/// Arguments from tiny to huge, of both signs, and the numbers next to multiples of pi / 2.
template <class T> std::vector<T> arguments() {
  std::vector<T> all;
  for (double size = 1e-42; size < 1e30; size *= 1.07) all.insert(all.end(), {T(size), T(-size)});
  for (int k = 1; k < 3000; ++k) {
    const T x = T(k * 1.57079632679489661923L);
    all.insert(all.end(), {x, std::nextafter(x, T(0)), std::nextafter(x, T(1e9))});
  }
  all.resize(all.size() / Vec<T>::size * Vec<T>::size);
  return all;
}

/// |a - exact| in units in the last place of `size`.
template <class T> double units(T a, long double exact, long double size) {
  const long double most = std::numeric_limits<T>::max();
  if (std::abs(exact) > most) exact = std::copysign(INFINITY, exact);
  if ((long double)(a) == exact) return 0;
  if (std::isnan(a)) return INFINITY;
  return double(std::abs(a - exact) / (std::numeric_limits<T>::epsilon() * std::abs(size)));
}

long double normal(long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }
long double density(long double x) {
  return std::exp(-x * x / 2) * 0.398942280401432677939946059934381868L;  // 1 / sqrt(2 pi)
}

}  // namespace

TEMPLATE_TEST_CASE("tanh and its slope keep their digits from tiny to huge arguments",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  const auto table = jet_table({MultiIndex{1}});
  const BlockJet<T> f(unary_id<op::Tanh>, 0, 0, *table);
  constexpr std::size_t n = Vec<T>::size;
  const double unit = std::numeric_limits<T>::epsilon();
  for (double size = 1e-30; size < 1e30; size *= 1.7) {
    std::vector<T> h(2 * n, T(1)), y(2 * n);
    for (std::size_t i = 0; i < n; ++i) h[i] = T(i % 2 ? -size : size);

    f.value(1, n, {h.data(), 0}, {y.data(), 0}, nullptr);

    for (std::size_t i = 0; i < 2; ++i) {
      const double x = h[i], slope = 1 / std::pow(std::cosh(x), 2);
      CHECK(std::abs(y[i] - std::tanh(x)) <= 3 * unit * std::abs(std::tanh(x)));
      CHECK(std::abs(y[n + i] - slope) <= 6 * unit * slope + 1e-37);
    }
  }
}

TEST_CASE("tanh of a block keeps the sign of zero and hands on what is no number",
          "[autograd][cpu][jets]") {
  const auto table = jet_table({});
  const BlockJet<double> f(unary_id<op::Tanh>, 0, 0, *table);
  std::vector<double> h(Vec<double>::size), y = h;
  const auto tanh_of = [&](double x) {
    h.assign(h.size(), x);
    f.value(1, h.size(), {h.data(), 0}, {y.data(), 0}, nullptr);
    return y[0];
  };
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(!std::signbit(tanh_of(0.0)));
  CHECK(std::signbit(tanh_of(-0.0)));
  CHECK(tanh_of(inf) == 1);
  CHECK(tanh_of(-inf) == -1);
  CHECK(std::isnan(tanh_of(std::nan(""))));
}

TEMPLATE_TEST_CASE("sigmoid, silu and softplus keep their digits from tiny to huge arguments",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  const auto table = jet_table({MultiIndex{1}});
  constexpr std::size_t n = Vec<T>::size;
  const double unit = std::numeric_limits<T>::epsilon();
  const auto check = [&]<class Op>(Op, double x) {
    const BlockJet<T> f(unary_id<Op>, 0, 0, *table);
    std::vector<T> h(2 * n, T(1)), y(2 * n);
    for (std::size_t i = 0; i < n; ++i) h[i] = T(x);
    f.value(1, n, {h.data(), 0}, {y.data(), 0}, nullptr);
    const double at = h[0], value = Op::value(at), slope = Op::slope(at, value);
    INFO(Op::name << " at " << at);
    // float has no numbers below 1e-38; x times the rounding of 1 - sigmoid(x) is in silu's slope,
    // here and in the op, until that is 0
    const double rounded = 4 + std::min(std::abs(at), 40.0);
    CHECK(std::abs(y[0] - value) <= 4 * unit * std::abs(value) + 1e-35);
    CHECK(std::abs(y[n] - slope) <= rounded * unit);
  };
  for (double size = 1e-42; size < 1e30; size *= 1.7)
    for (const double x : {size, -size}) {
      check(op::Sigmoid(), x);
      check(op::Silu(), x);
      check(op::Softplus(), x);
    }
}

TEST_CASE("activations of a block follow their ops at zero, infinity and what is no number",
          "[autograd][cpu][jets]") {
  const auto table = jet_table({MultiIndex{1}});
  const double inf = std::numeric_limits<double>::infinity();
  const auto check = [&]<class Op>(Op, double x) {
    const BlockJet<double> f(unary_id<Op>, 0, 0, *table);
    constexpr std::size_t n = Vec<double>::size;
    std::vector<double> h(2 * n, x), y(2 * n);
    f.value(1, n, {h.data(), 0}, {y.data(), 0}, nullptr);
    const double value = Op::value(x), slope = Op::slope(x, value);
    INFO(Op::name << " at " << x);
    CHECK((y[0] == value || (std::isnan(y[0]) && std::isnan(value))));
    CHECK((std::signbit(y[0]) == std::signbit(value) || std::isnan(value)));
    CHECK((y[n] == x * slope || (std::isnan(y[n]) && std::isnan(x * slope))));
  };
  for (const double x : {0.0, -0.0, inf, -inf, 1e300, -1e300, std::nan("")}) {
    check(op::Sigmoid(), x);
    if (x != 0) check(op::Softplus(), x);  // there log(2) is right to a rounding only
    if (x != -inf) check(op::Silu(), x);   // both are NaN of a sign that means nothing
    check(op::Exp(), x);
    check(op::Gelu(), x);
    if (std::abs(x) != 1e300) check(op::Sin(), x);  // there both are right to a rounding only
    if (std::abs(x) != 1e300) check(op::Cos(), x);
  }
}

TEMPLATE_TEST_CASE("sin and cos are right to a few units in the last place of any argument",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  const std::vector<T> x = arguments<T>();
  const ValueAndSlope<T> sine(unary_id<op::Sin>, x), cosine(unary_id<op::Cos>, x);
  const double tiny = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double s = std::sin((long double)(x[i])), c = std::cos((long double)(x[i]));
    for (const double error :
         {units(sine.value[i], s, std::abs(s) + tiny), units(sine.slope[i], c, c),
          units(cosine.value[i], c, c), units(cosine.slope[i], -s, std::abs(s) + tiny)})
      worst = larger(worst, error);
  }
  CHECK(worst <= 4);  // as good as libmvec
}

TEMPLATE_TEST_CASE("sin of a block does not depend on what stands beside it",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  std::vector<T> x(5 * Vec<T>::size);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(0.37 * double(i) - 3);
  const ValueAndSlope<T> alone(unary_id<op::Sin>, x);
  for (const double other : {1e30, double(INFINITY), std::nan("")})
    for (std::size_t at = 0; at < x.size(); ++at) {
      std::vector<T> with = x;
      with[at] = T(other);
      ValueAndSlope<T> y(unary_id<op::Sin>, with);
      CHECK((std::isfinite(other) == std::isfinite(y.value[at])));
      y.value[at] = alone.value[at];
      y.slope[at] = alone.slope[at];
      CHECK(y.value == alone.value);
      CHECK(y.slope == alone.slope);
    }
}

TEMPLATE_TEST_CASE("exp is right to a few units in the last place where it is a normal number",
                   "[autograd][cpu][jets]", float, double) {
  using T = TestType;
  const std::vector<T> x = arguments<T>();
  const ValueAndSlope<T> y(unary_id<op::Exp>, x);
  // what is less than twice the smallest normal number may be 0
  const double tiny = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = std::exp((long double)(x[i]));
    worst = larger(worst, units(y.value[i], exact, exact + tiny));
  }
  CHECK(worst <= 2);
  CHECK(y.slope == y.value);
}

TEMPLATE_TEST_CASE("gelu keeps its digits far into its tail", "[autograd][cpu][jets]", float,
                   double) {
  using T = TestType;
  const std::vector<T> x = arguments<T>();
  const ValueAndSlope<T> y(unary_id<op::Gelu>, x);
  // the density is 0 where it is less than five times the smallest normal number
  const long double tiny = 5 * std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double at = x[i], p = normal(at), d = density(at);
    const long double lost = tiny * (1 + std::min(std::abs(at), 40.0L));
    // exp(-x^2 / 2) feels the rounding of x^2 unless fma rounds once
    const double most = fma_is_exact ? 8 : 8 + double(std::min(at * at, 1600.0L));
    INFO("gelu at " << x[i]);
    CHECK(units(y.value[i], at * p, std::abs(at * p) + lost) <= most);
    CHECK(units(y.slope[i], p + at * d, p + std::abs(at * d) + lost) <= most);
  }
}
