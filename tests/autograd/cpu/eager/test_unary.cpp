#include "autograd/cpu/eager/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/core/error.h"
#include "autograd/ops/unary.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cpu;

namespace {

/// n points of an op's interval, in a fixed order.
template <class Op, class T> std::vector<T> points(int n) {
  std::vector<T> x(n);
  for (int i = 0; i < n; ++i) x[i] = T(Op::from + (Op::to - Op::from) * ((i * 7) % n + 0.5) / n);
  return x;
}

const double exponent = 2.5;

}  // namespace

TEMPLATE_LIST_TEST_CASE("the kernel of an op agrees with its formula", "[cpu]", Unary) {
  using Op = TestType;
  const auto check = [](auto number, double tolerance) {
    using T = decltype(number);
    for (const int n : {0, 1, 3, 16, 37}) {
      const auto x = points<Op, T>(n);
      const std::vector<T> dy(n, T(2));
      std::vector<T> y(n), dx(n);

      unary(unary_id<Op>, exponent, dtype_of<T>, x.data(), y.data(), n);
      unary_pullback(unary_id<Op>, exponent, dtype_of<T>, x.data(), y.data(), dy.data(), dx.data(),
                     n);

      for (int i = 0; i < n; ++i) {
        const double at = x[i], value = value_of<Op>(at, exponent);
        INFO(Op::name << " at " << at);
        CHECK(std::abs(y[i] - value) <= tolerance * std::max(1.0, std::abs(value)));
        const double slope = 2 * slope_of<Op>(at, value, exponent);
        CHECK(std::abs(dx[i] - slope) <= tolerance * std::max(1.0, std::abs(slope)));
      }
    }
  };
  check(double{}, 1e-14);
  check(float{}, 5e-6);
}

TEMPLATE_LIST_TEST_CASE("a result does not depend on where the element stands", "[cpu]", Unary) {
  using Op = TestType;
  const auto x = points<Op, double>(37);
  std::vector<double> y(37), shifted(36), one(1);

  unary(unary_id<Op>, exponent, DType::float64, x.data(), y.data(), 37);
  unary(unary_id<Op>, exponent, DType::float64, x.data() + 1, shifted.data(), 36);
  unary(unary_id<Op>, exponent, DType::float64, x.data() + 20, one.data(), 1);

  CHECK(std::equal(shifted.begin(), shifted.end(), y.begin() + 1));
  CHECK(one[0] == y[20]);
}

TEST_CASE("a kernel may write over its argument and stays inside its array", "[cpu]") {
  std::vector<double> x(21, 0.5);

  unary(unary_id<op::Exp>, 0, DType::float64, x.data(), x.data(), 19);

  CHECK(
      std::all_of(x.begin(), x.begin() + 19, [](double v) { return v == Approx(std::exp(0.5)); }));
  CHECK(x[19] == 0.5);
  CHECK(x[20] == 0.5);
}

TEST_CASE("a pullback does not touch what its slope does not read", "[cpu]") {
  const double x = 0.5, y = std::exp(0.5), dy = 3;
  double dx = 0;

  unary_pullback(unary_id<op::Exp>, 0, DType::float64, nullptr, &y, &dy, &dx, 1);
  CHECK(dx == 3 * y);
  unary_pullback(unary_id<op::Sin>, 0, DType::float64, &x, nullptr, &dy, &dx, 1);
  CHECK(dx == Approx(3 * std::cos(0.5)));
}

TEST_CASE("saturated activations do not overflow in vectors of float32", "[cpu]") {
  const float x[] = {-100, 100};
  for (const char* name : {"tanh", "sech2", "sigmoid", "softplus", "silu", "gelu"}) {
    float y[2], dx[2];
    const float dy[] = {1, 1};
    unary(find_unary(name), 0, DType::float32, x, y, 2);
    unary_pullback(find_unary(name), 0, DType::float32, x, y, dy, dx, 2);
    for (int i = 0; i < 2; ++i) {
      INFO(name << " at " << x[i]);
      CHECK(std::isfinite(y[i]));
      CHECK(std::isfinite(dx[i]));
    }
  }
}

TEST_CASE("functions of whole numbers are refused", "[cpu][errors]") {
  int x = 1, y = 0;
  CHECK_THROWS_WITH(unary(unary_id<op::Exp>, 0, DType::int32, &x, &y, 1),
                    Catch::Contains("exp of int32 numbers"));
  CHECK_THROWS_AS(unary_pullback(unary_id<op::Exp>, 0, DType::boolean, &x, &y, &x, &y, 1),
                  EngineError);
}
