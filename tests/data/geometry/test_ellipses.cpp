#include <cmath>
#include <numbers>

#include "tests/catch.h"
#include "tests/data/geometry/laws.h"
#include "tests/dice.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::test;

namespace {

ShapePtr ellipsoid(const std::vector<double>& radii) {
  const int d = int(radii.size());
  return make_shape(
      {d == 2 ? "ellipse" : "ellipsoid", {{"center", std::vector<double>(d)}, {"radii", radii}}},
      d);
}

double skin(const std::vector<double>& radii) { return ellipsoid(radii)->surface()[0]->whole(); }

/// Area of an ellipsoid with the radii a, a, c.
double spheroid(double a, double c) {
  const double pi = std::numbers::pi, e = std::sqrt(std::fabs(1 - (c * c) / (a * a)));
  if (c < a) return 2 * pi * a * a * (1 + c * c / (a * a) / e * std::atanh(e));
  const double k = std::sqrt(1 - (a * a) / (c * c));
  return 2 * pi * a * a * (1 + c / (a * k) * std::asin(k));
}

/// The distance by a search along the ellipse: golden sections from the best of many places.
double slow_distance(double a, double b, const std::vector<double>& x) {
  const auto far = [&](double t) {
    return std::hypot(a * std::cos(t) - x[0], b * std::sin(t) - x[1]);
  };
  const int places = 2000;
  const double step = 2 * std::numbers::pi / places, ratio = (std::sqrt(5.0) - 1) / 2;
  double best = 0;
  for (int k = 0; k < places; ++k)
    if (far(k * step) < far(best)) best = k * step;
  double lower = best - step, upper = best + step;
  for (int k = 0; k < 60; ++k) {
    const double low = upper - ratio * (upper - lower), high = lower + ratio * (upper - lower);
    (far(low) < far(high) ? upper : lower) = far(low) < far(high) ? high : low;
  }
  const bool inside = std::hypot(x[0] / a, x[1] / b) < 1;
  return inside ? -far(lower) : far(lower);
}

}  // namespace

TEST_CASE("the distance to an ellipse is the least along it, however flat", "[data][geometry]") {
  for (const auto& [a, b] : {std::pair{1.0, 0.5}, {0.2, 1.0}, {1.0, 0.01}, {1.0, 1.0}}) {
    const ShapePtr shape = ellipsoid({a, b});
    auto points = points_around(*shape, 0.5, 200, {.seed = 1});
    for (double x : {0.0, 0.1, 0.74, 0.76, 1e-9, 1e-200})  // on and beside the axes
      for (double y : {0.0, 1e-9, 1e-200}) {
        points.push_back({x * a, y * b});
        points.push_back({y * a, x * b});
      }
    for (const auto& x : points) {
      INFO(a << " " << b << " at " << x[0] << " " << x[1]);
      CHECK(shape->distance(x) == Approx(slow_distance(a, b, x)).margin(1e-12));
    }
  }
}

TEST_CASE("an ellipsoid's area is that of the books in any order of its radii",
          "[data][geometry]") {
  for (double c : {1e-6, 1e-3, 0.1, 0.9, 3.0, 1e3}) {
    INFO(c);
    CHECK(skin({1, 1, c}) == Approx(spheroid(1, c)).epsilon(1e-10));
    CHECK(skin({1, c, 1}) == Approx(spheroid(1, c)).epsilon(1e-10));
    CHECK(skin({c, 1, 1}) == Approx(spheroid(1, c)).epsilon(1e-10));
  }
  const double area = skin({1, 0.01, 0.2});
  CHECK(skin({0.2, 1, 0.01}) == Approx(area).epsilon(1e-12));
  CHECK(skin({0.01, 0.2, 1}) == Approx(area).epsilon(1e-12));
}

TEST_CASE("an ellipse is divided by its length to rounding", "[data][geometry]") {
  for (double b : {0.9, 0.1, 1e-3, 1e-7}) {
    INFO(b);
    const auto piece = ellipsoid({1, b})->surface()[0];
    // equal steps along it have equal chords, where it is not too curved
    const int steps = 100'000;
    double odd = 0, sum = 0;
    std::vector<double> before(2), x(2);
    for (int k = 0; k <= steps; ++k) {
      const double u[] = {std::clamp(double(k) / steps, 1e-15, 1 - 1e-15)};
      piece->sample(u, x, {});
      if (k > 0) {
        const double chord = std::hypot(x[0] - before[0], x[1] - before[1]) * steps;
        sum += chord / steps;
        if (std::fabs(x[0]) < 0.99) odd = larger(odd, std::fabs(chord / piece->whole() - 1));
      }
      before = x;
    }
    CHECK(odd < 1e-7);
    CHECK(sum <= piece->whole() * (1 + 1e-12));
    CHECK(sum > piece->whole() * (1 - 1e-4));
  }
}
