#include "data/geometry/implicit.h"

#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/dice.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

using Point = std::span<const double>;

LevelSet circle() {
  return {.value = [](Point x) { return x[0] * x[0] + x[1] * x[1] - 0.49; },
          .lower = {-1, -1},
          .upper = {1, 1}};
}

constexpr double a = 0.9, b = 0.3;  // half axes
LevelSet ellipse() {
  return {
      .value = [](Point x) { return std::pow(x[0] / a, 2) + std::pow(x[1] / b, 2) - 1; },
      .gradient = [](Point x,
                     std::span<double> g) { g[0] = 2 * x[0] / (a * a), g[1] = 2 * x[1] / (b * b); },
      .lower = {-1, -1},
      .upper = {1, 1}};
}

LevelSet ball() {
  return {.value =
              [](Point x) {
                return std::exp(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - std::exp(0.64);
              },
          .lower = {-1, -1, -1},
          .upper = {1, 1, 1.5},
          .cells = 32};
}

constexpr double large = 1, small = 0.4;
LevelSet torus() {
  return {.value =
              [](Point x) {
                return std::pow(std::hypot(x[0], x[1]) - large, 2) + x[2] * x[2] - small * small;
              },
          .lower = {-1.5, -1.5, -0.5},
          .upper = {1.5, 1.5, 0.5},
          .cells = 48};
}

/// The mean of a function over what a sampler keeps, its standard error, and the kept share.
struct Mean {
  double value, error, share;
};
template <class F> Mean mean(const Sampler& sampler, int n, F&& f) {
  Dice dice(1);
  std::vector<double> cube(sampler.numbers()), x(sampler.dimension()), m(sampler.dimension());
  double sum = 0, squares = 0;
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    for (double& c : cube) c = dice.uniform();
    if (!sampler.sample(cube, x, m)) continue;
    ++kept;
    const double value = f(x, m);
    sum += value, squares += value * value;
  }
  const double at = sum / kept;
  return {at, std::sqrt((squares / kept - at * at) / kept), double(kept) / n};
}

std::string message(const LevelSet& set) {
  try {
    make_implicit(set);
  } catch (const ConfigError& e) {
    CHECK_FALSE(e.report.fix.empty());
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("points of an implicit surface lie on it, with its normal",
          "[data][geometry][implicit]") {
  for (const LevelSet& set : {circle(), ellipse(), ball(), torus()}) {
    const ShapePtr shape = make_implicit(set);
    REQUIRE(shape->surface().size() == 1);
    const Mean off = mean(*shape->surface()[0], 500, [&](auto& x, auto& n) {
      CHECK(std::fabs(set.value(x)) < 1e-13);
      std::vector<double> forward = x, back = x, same(n.size());
      double size = 0;
      for (std::size_t k = 0; k < x.size(); ++k)
        forward[k] += 1e-3 * n[k], back[k] -= 1e-3 * n[k], size += n[k] * n[k];
      CHECK(size == Approx(1).epsilon(1e-12));
      CHECK_FALSE(shape->inside(forward));
      CHECK(shape->inside(back));
      CHECK(std::fabs(shape->distance(x)) < 1e-9);
      shape->normal(x, same);
      for (std::size_t k = 0; k < x.size(); ++k) CHECK(same[k] == Approx(n[k]).margin(1e-8));
      return 0;
    });
    CHECK(off.share > 0.9);
  }
}

TEST_CASE("lengths and areas of implicit surfaces are the exact ones",
          "[data][geometry][implicit]") {
  const auto measure = [](const LevelSet& set) {
    return measure_of(*make_implicit(set)->surface()[0]);
  };
  CHECK(measure(circle()) == Approx(2 * M_PI * 0.7).epsilon(3e-4));
  double length = 0;  // by the trapezoidal rule, which is exact for periods
  for (int i = 0; i < 1000; ++i)
    length += std::hypot(a * std::sin(2 * M_PI * i / 1000), b * std::cos(2 * M_PI * i / 1000)) * 2 *
              M_PI / 1000;
  CHECK(measure(ellipse()) == Approx(length).epsilon(3e-4));
  CHECK(measure(ball()) == Approx(4 * M_PI * 0.64).epsilon(3e-4));
  CHECK(measure(torus()) == Approx(4 * M_PI * M_PI * large * small).epsilon(3e-4));
}

TEST_CASE("points of an implicit surface are uniform", "[data][geometry][implicit]") {
  // On a coarse grid the facets are far from the surface: without the ratio of areas this fails.
  LevelSet coarse = torus();
  coarse.cells = 14;
  // dA = r (R + r cos v) du dv, so the mean of cos v is r / (2 R)
  const Mean cosine = mean(*make_implicit(coarse)->surface()[0], 200000,
                           [](auto& x, auto&) { return (std::hypot(x[0], x[1]) - large) / small; });
  CHECK(std::fabs(cosine.value - small / (2 * large)) < 4 * cosine.error);
  CHECK(measure_of(*make_implicit(coarse)->surface()[0]) ==
        Approx(4 * M_PI * M_PI * large * small).epsilon(1e-3));

  coarse = ellipse();
  coarse.cells = 8;
  double length = 0, square = 0;
  for (int i = 0; i < 1000; ++i) {
    const double t = 2 * M_PI * i / 1000, speed = std::hypot(a * std::sin(t), b * std::cos(t));
    length += speed, square += speed * std::pow(a * std::cos(t), 2);
  }
  const Mean x2 = mean(*make_implicit(coarse)->surface()[0], 200000,
                       [](auto& x, auto&) { return x[0] * x[0]; });
  CHECK(std::fabs(x2.value - square / length) < 4 * x2.error);
}

TEST_CASE("volumes of implicit shapes are the exact ones, and their points are inside",
          "[data][geometry][implicit]") {
  const auto check = [](const LevelSet& set, double volume) {
    const ShapePtr shape = make_implicit(set);
    const auto sampler = shape->interior();
    CHECK(measure_of(*sampler) == Approx(volume).epsilon(1e-3));
    const Mean share = mean(*sampler, 1000, [&](auto& x, auto&) {
      CHECK(set.value(x) <= 0);
      return 0;
    });
    CHECK(share.share > 0.5);
  };
  check(circle(), M_PI * 0.49);
  check(ellipse(), M_PI * a * b);
  check(ball(), 4 * M_PI / 3 * 0.512);
  check(torus(), 2 * M_PI * M_PI * large * small * small);
}

TEST_CASE("distances to implicit surfaces are Euclidean", "[data][geometry][implicit]") {
  Dice dice(2);
  const ShapePtr disk = make_implicit(circle()), sphere = make_implicit(ball()),
                 ring = make_implicit(torus());
  CHECK(disk->distance_kind() == DistanceKind::exact);
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> x = {3 * dice.uniform() - 1.5, 3 * dice.uniform() - 1.5,
                                   3 * dice.uniform() - 1.5};
    const double r = std::hypot(x[0], x[1]), from_ring = std::hypot(r - large, x[2]);
    INFO(x[0] << ", " << x[1] << ", " << x[2]);
    CHECK(disk->distance({x.data(), 2}) == Approx(r - 0.7).margin(1e-9));
    CHECK(sphere->distance(x) == Approx(std::hypot(x[0], x[1], x[2]) - 0.8).margin(1e-9));
    if (r > 0.05) CHECK(ring->distance(x) == Approx(from_ring - small).margin(1e-9));
    if (from_ring < 0.02 || r < 0.05) continue;
    std::vector<double> n(3);
    ring->normal(x, n);
    CHECK(n[2] == Approx(x[2] / from_ring).margin(1e-8));
  }
}

TEST_CASE("an implicit shape of one dimension is intervals", "[data][geometry][implicit]") {
  const ShapePtr shape =
      make_implicit({.value = [](Point x) { return std::cos(x[0]); }, .lower = {0}, .upper = {14}});
  const auto ends = shape->surface()[0];
  CHECK(ends->whole() == 4);  // odd multiples of pi / 2
  CHECK(shape->distance(std::array{M_PI}) == Approx(-M_PI / 2).epsilon(1e-13));
}

TEST_CASE("bounds of an implicit shape hold it closely", "[data][geometry][implicit]") {
  const auto box = make_implicit(ball())->bounds();
  REQUIRE(box.size() == 3);
  for (const Interval& i : box) {
    CHECK(i.lower <= -0.8);
    CHECK(i.lower > -0.87);
    CHECK(i.upper >= 0.8);
    CHECK(i.upper < 0.87);
  }
}

TEST_CASE("a body may touch its box to rounding", "[data][geometry][implicit]") {
  const ShapePtr disk =
      make_implicit({.value = [](Point x) { return x[0] * x[0] + x[1] * x[1] - 1; },
                     .lower = {-1, -1},
                     .upper = {1, 1}});
  CHECK(measure_of(*disk->surface()[0]) == Approx(2 * M_PI).epsilon(1e-3));
  CHECK(measure_of(*disk->interior()) == Approx(M_PI).epsilon(1e-3));
}

TEST_CASE("a winding surface cut by a ball is found, and its points lie on it",
          "[data][geometry][implicit]") {
  const LevelSet set = {.value =
                            [](Point x) {
                              double gyroid = 0, square = 0;
                              for (int k = 0; k < 3; ++k) {
                                gyroid += std::sin(6 * x[k]) * std::cos(6 * x[(k + 1) % 3]);
                                square += x[k] * x[k];
                              }
                              return std::max(gyroid, square - 0.9);
                            },
                        .lower = {-1, -1, -1},
                        .upper = {1, 1, 1},
                        .cells = 40};
  const ShapePtr shape = make_implicit(set);
  const Mean share = mean(*shape->surface()[0], 5000, [&](auto& x, auto&) {
    CHECK(std::fabs(set.value(x)) < 1e-14);
    return 0;
  });
  CHECK(share.share > 0.8);
  // x -> -x turns the sign of the gyroid: it halves the ball
  CHECK(measure_of(*shape->interior()) == Approx(2 * M_PI / 3 * std::pow(0.9, 1.5)).epsilon(1e-3));
}

TEST_CASE("a formula with creases is sampled on all its sides", "[data][geometry][implicit]") {
  const ShapePtr box = make_implicit(
      {.value = [](Point x) { return std::max(std::fabs(x[0]) - 0.51, std::fabs(x[1]) - 0.26); },
       .lower = {-1, -1},
       .upper = {1, 1}});
  CHECK(measure_of(*box->surface()[0]) == Approx(4 * (0.51 + 0.26)).epsilon(5e-3));
  CHECK(measure_of(*box->interior()) == Approx(4 * 0.51 * 0.26).epsilon(1e-3));
}

TEST_CASE("implicit shapes that are none are refused with the place",
          "[data][geometry][implicit][errors]") {
  LevelSet set = circle();
  set.upper = {0.5, 1};
  CHECK_THAT(message(set), Contains("reaches beyond its box") && Contains("at (0.5, ") &&
                               Contains("max(f, ...)"));
  set = circle();
  set.value = [](Point x) { return x[0] * x[0] + x[1] * x[1] + 0.1; };
  CHECK_THAT(message(set), Contains("is negative at none of 66049 places"));
  set.value = [](Point x) { return std::log(x[0]); };
  CHECK_THAT(message(set), Contains("is not finite") && Contains("at (-1, -1)"));
  set.value = [](Point x) { return x[0] * x[0] + x[1] * x[1] < 0.5 ? -1.0 : 1.0; };
  CHECK_THAT(message(set), Contains("jumps over 0, or its gradient vanishes"));
  set = circle();
  set.gradient = [](Point, std::span<double> g) { g[0] = g[1] = 0; };
  CHECK_THAT(message(set), Contains("jumps over 0, or its gradient vanishes"));
  set = circle();
  set.lower = {0};
  CHECK_THAT(message(set), Contains("has 1 lower and 2 upper ends"));
  set = circle();
  set.lower = {1, -1};
  CHECK_THAT(message(set), Contains("reaches from 1 to 1"));
  set = circle();
  set.cells = -1;
  CHECK_THAT(message(set), Contains("cannot be found by -1 cells"));
}
