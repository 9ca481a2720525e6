#include "data/reference/l_shape.h"

#include <cmath>
#include <numbers>

#include "data/reference/line.h"
#include "data/reference/reference.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

/// The integral of u over the square from (x, y) of a side, by a rule along each.
double over_square(const LShape& u, double x, double y, double side, const Rule& rule) {
  double sum = 0;
  for (int i = 0; i < rule.nodes.size(); ++i)
    for (int j = 0; j < rule.nodes.size(); ++j)
      sum +=
          rule.weights[i] * rule.weights[j] * u(x + side * rule.nodes[i], y + side * rule.nodes[j]);
  return side * side * sum;
}

/// Squares that halve towards the reentrant corner.
double integral(const LShape& u) {
  const Rule rule = gauss(12);
  double sum = 0;
  for (double side = 0.5; side > 1e-7; side /= 2)
    for (const auto& [x, y] : {std::pair{-2., -2.},
                               {-1., -2.},
                               {0., -2.},
                               {1., -2.},
                               {-2., -1.},
                               {1., -1.},
                               {-2., 0.},
                               {-1., 1.},
                               {-2., 1.}})
      sum += over_square(u, x * side, y * side, side, rule);
  return sum;
}

}  // namespace

TEST_CASE("the solution in the L vanishes on its boundary", "[data][reference]") {
  const LShape u(32);

  CHECK(u.error() < 1e-13);  // as the note of its recipe says
  for (const double s : {0., 0.01, 0.5, 0.99, 1.}) {
    CHECK(std::abs(u(s, 0)) < 1e-13);
    CHECK(std::abs(u(0, s)) < 1e-13);
    CHECK(std::abs(u(-1, 2 * s - 1)) < 1e-13);
    CHECK(std::abs(u(2 * s - 1, -1)) < 1e-13);
    CHECK(std::abs(u(1, -s)) < 1e-13);
    CHECK(std::abs(u(-s, 1)) < 1e-13);
  }
}

TEST_CASE("the solution in the L solves Poisson's equation", "[data][reference]") {
  // Its mean over a circle is its value at the center less r^2 / 4.
  const LShape u(26);
  for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {0.6, -0.4}, {-0.3, 0.5}, {-0.2, -0.1}}) {
    double mean = 0;
    for (int k = 0; k < 64; ++k) {
      const double phi = 2 * std::numbers::pi * k / 64;
      mean += u(x + 0.1 * std::cos(phi), y + 0.1 * std::sin(phi)) / 64;
    }
    CHECK(mean - u(x, y) == Approx(-0.1 * 0.1 / 4).margin(1e-13));
  }
}

TEST_CASE("what the solution in the L has on its boundary bounds its error", "[data][reference]") {
  const LShape fine(30);
  for (const int n : {8, 14, 20}) {
    const LShape coarse(n);
    CHECK(coarse.error() > 10 * fine.error());
    for (double x = -0.95; x < 1; x += 0.1)
      for (double y = -0.95; y < 0; y += 0.1)
        CHECK(std::abs(coarse(x, y) - fine(x, y)) <= coarse.error() + fine.error());
  }
}

TEST_CASE("the integral of the solution in the L is the square of its published energy norm",
          "[data][reference]") {
  // 0.214075802680976, known from adaptive finite elements.
  CHECK(integral(LShape(30)) == Approx(0.21407580268).margin(1e-11));
}

TEST_CASE("the L is symmetric in x and y", "[data][reference]") {
  const LShape u(26);
  for (const auto& [x, y] : {std::pair{0.4, -0.3}, {-0.9, 0.2}, {0.1, -0.9}})
    CHECK(u(x, y) == Approx(u(y, x)).epsilon(1e-12));
}
