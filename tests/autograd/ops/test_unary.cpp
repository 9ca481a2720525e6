#include <array>
#include <cmath>
#include <limits>

#include "autograd/ops/series.h"
#include "autograd/ops/unary.h"
#include "tests/autograd/ops/derivatives.h"
#include "tests/catch.h"
#include "tests/golden/golden.h"

using namespace pinn;
using test::derivatives;

namespace {

/// |error| / (2^k max(1, |reference|)), the measure of the bands below.
template <class T> double scaled_error(T value, double reference, int k) {
  return std::abs(value - reference) / (std::ldexp(1.0, k) * std::max(1.0, std::abs(reference)));
}

template <class T> void check_against_golden(double band) {
  const auto lines = golden_lines("scalar.txt");
  REQUIRE(lines.size() > 90);
  std::vector<bool> seen(Unary::size);
  for (const auto& line : lines) {
    const int id = find_unary(line[0]);
    REQUIRE(id >= 0);
    seen[id] = true;
    visit_unary(id, [&]<class Op>() {
      T f[7];
      derivatives<Op, 6>(T(std::stod(line[2])), f, std::stod(line[1]));
      for (int k = 0; k <= 6; ++k) {
        INFO(line[0] << " " << line[1] << " at " << line[2] << ", derivative " << k << ": "
                     << f[k]);
        CHECK(scaled_error(f[k], std::stod(line[3 + k]), k) <= band);
      }
    });
  }
  for (int id = 0; id < Unary::size; ++id) {
    INFO(unary_name(id));
    CHECK(seen[id]);
  }
}

}  // namespace

TEST_CASE("derivatives to order 6 of every op agree with 60-digit numbers", "[ops]") {
  check_against_golden<double>(1e-14);
}

TEST_CASE("derivatives to order 6 in float32 agree with 60-digit numbers", "[ops]") {
  check_against_golden<float>(2e-7);
}

TEMPLATE_LIST_TEST_CASE("slope is the derivative of value", "[ops]", Unary) {
  using Op = TestType;
  const double p = 2.5, h = 1e-3;
  for (int i = 0; i <= 10; ++i) {
    const double x = Op::from + (Op::to - Op::from) * (i + 0.5) / 11;
    const auto f = [&](double at) { return value_of<Op>(at, p); };

    const double fourth_order =
        (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);

    INFO(Op::name << " at " << x);
    CHECK(slope_of<Op>(x, f(x), p) == Approx(fourth_order).epsilon(1e-9).margin(1e-9));
  }
}

TEMPLATE_LIST_TEST_CASE("slope reads only what the op says it reads", "[ops]", Unary) {
  using Op = TestType;
  const double x = (Op::from + Op::to) / 2 + 0.1, y = value_of<Op>(x, 2.5), wrong = 17.25;

  const double right = slope_of<Op>(x, y, 2.5);

  if (!Op::uses_x) CHECK(slope_of<Op>(wrong, y, 2.5) == right);
  if (!Op::uses_y) CHECK(slope_of<Op>(x, wrong, 2.5) == right);
  if (Op::flat) CHECK(right == 0);
}

TEST_CASE("an op is found by its name and by its number", "[ops]") {
  for (int id = 0; id < Unary::size; ++id) {
    CHECK(find_unary(unary_name(id)) == id);
    visit_unary(id, [&]<class Op>() { CHECK(Op::name == unary_name(id)); });
  }
  CHECK(find_unary("tanh") == unary_id<op::Tanh>);
  CHECK(find_unary("tan h") == -1);
}

TEST_CASE("a number that no op has is refused", "[ops][errors]") {
  CHECK_THROWS_AS(visit_unary(Unary::size, []<class Op>() {}), InternalError);
  CHECK_THROWS_AS(visit_unary(-1, []<class Op>() {}), InternalError);
}

TEMPLATE_TEST_CASE("activations neither overflow nor turn into NaN at |x| = 100", "[ops]", float,
                   double) {
  using T = TestType;
  for (const T x : {T(-100), T(100)}) {
    const auto check = [&]<class Op>() {
      T f[5];
      derivatives<Op, 4>(x, f);
      for (int k = 0; k <= 4; ++k) {
        INFO(Op::name << " at " << x << ", derivative " << k << ": " << f[k]);
        CHECK(std::isfinite(f[k]));
      }
      CHECK(f[0] == Approx(std::is_same_v<Op, op::Tanh>      ? std::copysign(1, x)
                           : std::is_same_v<Op, op::Sech2>   ? 0
                           : std::is_same_v<Op, op::Sigmoid> ? (x > 0 ? 1 : 0)
                                                             : (x > 0 ? 100 : 0))
                        .margin(1e-30));
    };
    check.template operator()<op::Tanh>();
    check.template operator()<op::Sech2>();
    check.template operator()<op::Sigmoid>();
    check.template operator()<op::Softplus>();
    check.template operator()<op::Silu>();
    check.template operator()<op::Gelu>();
  }
}

TEST_CASE("tanh near 0 is right to 4 units in the last place, to order 4", "[ops]") {
  int found = 0;
  for (const auto& line : golden_lines("scalar.txt")) {
    if (line[0] != "tanh" || line[2] != "0.0009765625") continue;
    ++found;
    double f[5];
    derivatives<op::Tanh, 4>(std::stod(line[2]), f);
    for (int k = 0; k <= 4; ++k) {
      const double exact = std::stod(line[3 + k]);
      CHECK(std::abs(f[k] - exact) <= 4 * std::abs(exact) * 0x1p-53);
    }
  }
  CHECK(found == 1);
}

TEST_CASE("the slope of a saturated tanh keeps its relative accuracy", "[ops]") {
  for (const double x : {-8.0, 8.0, 15.0}) {
    const double exact = 1 / (std::cosh(x) * std::cosh(x));
    CHECK(std::abs(op::Tanh::slope(x, std::tanh(x)) - exact) <= 1e-14 * exact);
  }
}

TEST_CASE("x^3 has the derivatives 0, 0, 0, 6, 0 at x = 0", "[ops]") {
  double f[5];

  derivatives<op::Power, 4>(0.0, f, 3);

  const double exact[] = {0, 0, 0, 6, 0};
  for (int k = 0; k <= 4; ++k) CHECK(f[k] == exact[k]);
}

TEST_CASE("x^1.5 at x = 0 has slope 0 and an infinite second derivative", "[ops]") {
  double f[3];

  derivatives<op::Power, 2>(0.0, f, 1.5);

  CHECK(f[0] == 0);
  CHECK(f[1] == 0);
  CHECK(f[2] == std::numeric_limits<double>::infinity());
}

TEST_CASE("whole powers of negative numbers are exact products", "[ops]") {
  CHECK(op::Power::value(-3.0, 3) == -27);
  CHECK(op::Power::value(-3.0, 4) == 81);
  CHECK(op::Power::value(-2.0, -3) == -0.125);
  CHECK(op::Power::value(-2.0, 0) == 1);
  CHECK(std::isnan(op::Power::value(-2.0, 0.5)));
}

TEST_CASE("at a kink the slope is what it says, and all higher derivatives are 0", "[ops]") {
  const auto at_zero = []<class Op>() {
    std::array<double, 4> f;
    double out[4];
    derivatives<Op, 3>(0.0, out);
    std::copy(out, out + 4, f.begin());
    return f;
  };
  const std::array<double, 4> zero = {0, 0, 0, 0};

  CHECK(at_zero.operator()<op::Relu>() == zero);
  CHECK(at_zero.operator()<op::Abs>() == zero);
  CHECK(at_zero.operator()<op::Sign>() == zero);
  CHECK(at_zero.operator()<op::Step>() == zero);
}

TEMPLATE_LIST_TEST_CASE("NaN stays NaN", "[ops]", Unary) {
  CHECK(std::isnan(value_of<TestType>(std::numeric_limits<double>::quiet_NaN(), 2.5)));
}
