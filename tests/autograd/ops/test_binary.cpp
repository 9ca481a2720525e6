#include <cmath>
#include <limits>

#include "autograd/ops/binary.h"
#include "autograd/ops/series.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

const double points[][2] = {{0.7, 1.3}, {1.9, 0.4}, {2.2, 2.3}};  // away from ties, x > 0 for pow

template <class F> double derivative(F f, double x) {
  const double h = 1e-3;
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("the slopes are the partial derivatives of value", "[ops]", Binary) {
  using Op = TestType;
  for (const auto& [x, y] : points) {
    const double z = Op::value(x, y);
    const double by_x = derivative([&, y = y](double t) { return Op::value(t, y); }, x);
    const double by_y = derivative([&, x = x](double t) { return Op::value(x, t); }, y);

    INFO(Op::name << " at " << x << ", " << y);
    CHECK(Op::slope_x(x, y, z) == Approx(by_x).epsilon(1e-9).margin(1e-9));
    CHECK(Op::slope_y(x, y, z) == Approx(by_y).epsilon(1e-9).margin(1e-9));
  }
}

TEMPLATE_LIST_TEST_CASE("slopes read only what the op says they read", "[ops]", Binary) {
  using Op = TestType;
  const double x = 0.7, y = 1.3, z = Op::value(x, y);
  const auto with = [&](op::Reads reads, auto slope) {
    return slope(reads.x ? x : 17.25, reads.y ? y : 17.25, reads.z ? z : 17.25);
  };

  CHECK(with(Op::dx, [](auto... a) { return Op::slope_x(a...); }) == Op::slope_x(x, y, z));
  CHECK(with(Op::dy, [](auto... a) { return Op::slope_y(a...); }) == Op::slope_y(x, y, z));
}

TEMPLATE_LIST_TEST_CASE("a series of two arguments has the derivatives of the function", "[ops]",
                        Binary) {
  using Op = TestType;
  for (const auto& [x, y] : points) {
    auto a = Series<double, 4>::line(x, 0.5), b = Series<double, 4>::line(y, -0.25);
    a.c[2] = 0.125, a.degree = 2;
    b.c[3] = 0.25, b.degree = 3;
    const auto f = [&](double s) {
      return Op::value(a.c[0] + s * (a.c[1] + s * a.c[2]), b.c[0] + s * (b.c[1] + s * s * b.c[3]));
    };

    const auto v = apply<Op>(a, b);

    INFO(Op::name << " at " << x << ", " << y);
    const double s = 1.0 / 64;  // the odd and even parts of f, to s^6
    const double even = (f(s) + f(-s)) / 2, odd = (f(s) - f(-s)) / 2;
    CHECK(even == Approx(v.c[0] + s * s * (v.c[2] + s * s * v.c[4])).epsilon(1e-9));
    CHECK(odd == Approx(s * (v.c[1] + s * s * v.c[3])).epsilon(1e-6).margin(1e-12));
  }
}

TEST_CASE("binary ops are found by name and by number", "[ops]") {
  for (int id = 0; id < Binary::size; ++id) CHECK(find_binary(binary_name(id)) == id);
  CHECK(binary_id<op::Mul> == find_binary("mul"));
  CHECK(find_binary("xor") == -1);
  CHECK_THROWS_AS(visit_binary(Binary::size, []<class Op>() {}), InternalError);
}

TEST_CASE("at a tie min and max share the slope half and half, to every order", "[ops]") {
  CHECK(op::Min::slope_x(2.0, 2.0, 2.0) == 0.5);
  CHECK(op::Min::slope_y(2.0, 2.0, 2.0) == 0.5);
  CHECK(op::Max::slope_x(2.0, 2.0, 2.0) == 0.5);
  CHECK(op::Max::slope_y(2.0, 2.0, 2.0) == 0.5);

  auto a = Series<double, 2>::line(2, 1), b = Series<double, 2>::line(2, 3);
  a.c[2] = 4, a.degree = 2;

  const auto v = apply<op::Max>(a, b);

  CHECK(v.c[1] == 2);
  CHECK(v.c[2] == 2);
}

TEST_CASE("min and max do not hear the argument they leave out", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto a = Series<double, 2>::line(1, 3), wild = Series<double, 2>::line(2, inf);

  const auto v = apply<op::Min>(a, wild);

  CHECK(v.c[0] == 1);
  CHECK(v.c[1] == 3);
  CHECK(v.c[2] == 0);
}

TEST_CASE("min and max of NaN are NaN", "[ops]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [x, y] : {std::pair(nan, 1.0), std::pair(1.0, nan)}) {
    CHECK(std::isnan(op::Min::value(x, y)));
    CHECK(std::isnan(op::Max::value(x, y)));
  }
}

TEST_CASE("the slopes of min and max are NaN where their value is", "[ops]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [x, y] : {std::pair(nan, 1.0), std::pair(1.0, nan)}) {
    CHECK(std::isnan(op::Min::slope_x(x, y, nan)));
    CHECK(std::isnan(op::Min::slope_y(x, y, nan)));
    CHECK(std::isnan(op::Max::slope_x(x, y, nan)));
    CHECK(std::isnan(op::Max::slope_y(x, y, nan)));
    const auto v = apply<op::Max>(Series<double, 2>::line(x, 1), Series<double, 2>::line(y, 2));
    CHECK(std::isnan(v.c[0]));
    CHECK(std::isnan(v.c[1]));
  }
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(op::Max::slope_x(inf, -inf, inf) == 1);
  CHECK(op::Max::slope_y(inf, -inf, inf) == 0);
}

TEST_CASE("comparisons are 1 or 0", "[ops]") {
  CHECK(op::Less::value(1.0, 2.0) == 1);
  CHECK(op::Less::value(2.0, 2.0) == 0);
  CHECK(op::LessEqual::value(2.0, 2.0) == 1);
  CHECK(op::Greater::value(2.0, 2.0) == 0);
  CHECK(op::Greater::value(3.0, 2.0) == 1);
  CHECK(op::GreaterEqual::value(2.0, 2.0) == 1);
}

TEST_CASE("atan2 knows all four quadrants", "[ops]") {
  for (const double x : {-1.0, 1.0})
    for (const double y : {-2.0, 2.0}) CHECK(op::Atan2::value(x, y) == std::atan2(x, y));
}

TEST_CASE("the slopes of atan2 keep their digits far out and close in", "[ops]") {
  const double scale = GENERATE(1e-300, 1e-160, 1e-8, 1e160, 1e300);
  for (const auto& [x, y] : {std::pair(3.0, 4.0), std::pair(-5.0, 1e-3), std::pair(0.0, -2.0)}) {
    const double square = x * x + y * y;
    CHECK(scale * op::Atan2::slope_x(scale * x, scale * y, 0.) ==
          Approx(y / square).epsilon(1e-14));
    CHECK(scale * op::Atan2::slope_y(scale * x, scale * y, 0.) ==
          Approx(-x / square).epsilon(1e-14));
  }
}

TEST_CASE("a power with the exponent 0 has the slope 0, at every base", "[ops]") {
  for (const double x : {-2.0, 0.0, 0.5}) CHECK(op::Pow::slope_x(x, 0.0, 1.0) == 0);
}

TEST_CASE("the base of a power at 0 has a slope that is not NaN", "[ops]") {
  CHECK(op::Pow::slope_x(0.0, 2.0, 0.0) == 0);
  CHECK(op::Pow::slope_x(0.0, 1.0, 0.0) == 1);
}
