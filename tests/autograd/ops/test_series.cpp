#include "autograd/ops/series.h"
#include "autograd/ops/unary.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace pinn;

namespace {

constexpr int K = 6;
using Numbers = Series<double, K>;

/// A series with all coefficients, around x.
Numbers around(double x) {
  Numbers a;
  for (int k = 0; k <= K; ++k) a.c[k] = k == 0 ? x : std::sin(1.0 + 2 * k) / (1 + k);
  a.degree = K;
  return a;
}

void check_equal(const Numbers& a, const Numbers& b) {
  for (int k = 0; k <= K; ++k) CHECK(a.c[k] == Approx(b.c[k]).epsilon(1e-11).margin(1e-12));
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a series of a series is the composed polynomial", "[ops]", Unary) {
  using Op = TestType;
  const double x = (Op::from + Op::to) / 2 + 0.1;
  const Numbers a = around(x), f = apply<Op>(Numbers::line(x), 2.5);
  Numbers n = a;
  n.c[0] = 0;

  Numbers horner(f.c[K]);
  for (int m = K - 1; m >= 0; --m) horner = horner * n + Numbers(f.c[m]);

  INFO(Op::name);
  check_equal(apply<Op>(a, 2.5), horner);
}

TEMPLATE_LIST_TEST_CASE("the derivative of a series is the series of the slope", "[ops]", Unary) {
  using Op = TestType;
  const double x = (Op::from + Op::to) / 2 - 0.2;
  const auto y = apply<Op>(Numbers::line(x), 2.5);

  const auto slope = slope_of<Op>(Numbers::line(x), y, 2.5);

  INFO(Op::name);
  for (int k = 0; k < K; ++k)
    CHECK(slope.c[k] == Approx((k + 1) * y.c[k + 1]).epsilon(1e-12).margin(1e-12));
}

TEST_CASE("functions and their inverses undo each other on series", "[ops]") {
  const Numbers a = around(0.4);
  check_equal(log(exp(a)), a);
  check_equal(exp(log(a)), a);
  check_equal(tan(atan(a)), a);
  check_equal(square(sqrt(a)), a);
  check_equal(a / a, Numbers(1));
  check_equal(sin(a) * sin(a) + cos(a) * cos(a), Numbers(1));
  check_equal(square(cosh(a)) - square(sinh(a)), Numbers(1));
  check_equal(sech2(a) + square(tanh(a)), Numbers(1));
  check_equal(sigmoid(a) + sigmoid(-a), Numbers(1));
  check_equal(softplus(a) - softplus(-a), a);
  check_equal(power(a, 2.5) * power(a, -1.5), a);
  check_equal(pow(a, Numbers(3)), power(a, 3));
  check_equal(atan2(a, Numbers(1)), atan(a));
  check_equal(max(a, -a), abs(a));
  check_equal(min(a, -a), -abs(a));
}

TEST_CASE("a function of a constant is a constant, of degree 0", "[ops]") {
  const Numbers c(0.75);
  for (int id = 0; id < Unary::size; ++id)
    visit_unary(id, [&]<class Op>() {
      const Numbers y = apply<Op>(c, 2.5);
      INFO(Op::name);
      CHECK(y.degree == 0);
      CHECK(y.c[0] == value_of<Op>(0.75, 2.5));
      for (int k = 1; k <= K; ++k) CHECK(y.c[k] == 0);
    });
}

TEST_CASE("a coefficient that is not there is not multiplied", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity();
  Numbers a(inf);

  const Numbers y = a * Numbers::line(2, 1);

  CHECK(y.degree == 1);
  CHECK(y.c[2] == 0);  // inf * 0 would be NaN
}

TEST_CASE("cutting a series off and making it longer keeps its coefficients", "[ops]") {
  const Numbers a = around(0.4);

  const auto shorter = cut<3>(a);
  const auto longer = cut<K>(shorter);

  CHECK(shorter.degree == 3);
  CHECK(longer.degree == 3);
  for (int k = 0; k <= K; ++k) CHECK(longer.c[k] == (k <= 3 ? a.c[k] : 0));
}
