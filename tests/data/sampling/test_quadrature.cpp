#include "data/sampling/quadrature.h"

#include <cmath>
#include <numbers>

#include "data/geometry/cut.h"
#include "data/geometry/shape.h"
#include "tests/catch.h"

using namespace pinn;
using std::numbers::pi;

namespace {

constexpr std::size_t many = std::size_t(1) << 17;

/// An integral by the rule, and by the coarser one that is furthest from it.
template <class F> std::pair<double, double> integral(const Quadrature& rule, F f) {
  std::vector<double> values;
  const std::size_t d = rule.count == 0 ? 0 : rule.x.size() / rule.count;
  for (std::size_t n = 0; n < rule.count; ++n)
    values.push_back(
        f(rule.x.data() + n * d, rule.normals.data() + (rule.normals.empty() ? 0 : n * d)));
  const double fine = rule.sum(values, rule.weights);
  double far = fine;
  for (const std::vector<double>& coarser : rule.coarser)
    if (const double coarse = rule.sum(values, coarser);
        std::fabs(coarse - fine) > std::fabs(far - fine))
      far = coarse;
  return {fine, far};
}

ShapePtr disk(double x, double y, double radius) {
  return make_shape({"disk", {{"center", {x, y}}, {"radius", {radius}}}}, 2);
}
ShapePtr square(double side) {
  return make_shape({"rectangle", {{"center", {0, 0}}, {"size", {side, side}}}}, 2);
}

/// The surface of a shape of the plane, as a region.
std::shared_ptr<const Region> outline(
    const ShapePtr& shape, std::vector<Interval> box = {},
    std::vector<std::function<bool(std::span<const double>)>> conditions = {}) {
  if (box.empty()) box = shape->bounds();
  std::vector<std::shared_ptr<const Region>> parts;
  for (const auto& piece : shape->surface())
    if (auto part = make_cut({.box = box,
                              .space = {0, 1},
                              .body = shape,

                              .piece = BodyPiece{piece},
                              .normal = {},
                              .conditions = conditions}))
      parts.push_back(part);
  return make_union(parts);
}

double length(const Region& region) {
  return integral(quadrature(region, many), [](const double*, const double*) { return 1.; }).first;
}

}  // namespace

TEST_CASE("the rule of one panel integrates what its degree promises", "[data][quadrature]") {
  const auto interval = make_box({{-1, 1}});
  const Quadrature rule = quadrature(*interval, 15);
  REQUIRE(rule.count == 15);
  for (int degree = 0; degree <= 22; ++degree) {
    INFO(degree);
    const auto [fine, coarse] = integral(
        rule, [&](const double* x, const double*) { return std::pow(x[0], double(degree)); });
    const double exact = degree % 2 == 1 ? 0 : 2. / (degree + 1);
    CHECK(fine == Approx(exact).margin(1e-15));
    if (degree <= 13) CHECK(coarse == Approx(exact).margin(1e-15));
    if (degree == 14) CHECK(std::fabs(coarse - exact) > 1e-6);
  }
}

TEST_CASE("smooth functions of up to four coordinates are integrated to rounding",
          "[data][quadrature]") {
  for (int d = 1; d <= 4; ++d) {
    INFO(d);
    const auto box = make_box(std::vector<Interval>(std::size_t(d), Interval{0, 2}));
    const auto [fine, coarse] =
        integral(quadrature(*box, many), [&](const double* x, const double*) {
          double product = 1;
          for (int k = 0; k < d; ++k) product *= std::exp(-x[k]);
          return product;
        });
    CHECK(fine == Approx(std::pow(1 - std::exp(-2), d)).epsilon(1e-13));
    CHECK(coarse == Approx(fine).epsilon(1e-10));
  }
}

TEST_CASE("a sequence integrates what has no panels as well as it says", "[data][quadrature]") {
  const auto box = make_box(std::vector<Interval>(6, Interval{0, 1}));
  for (int k = 1; k <= 20; ++k) {
    INFO(k);
    const double a = 0.1 * k;
    const auto [fine, coarse] =
        integral(quadrature(*box, many / 8), [&](const double* x, const double*) {
          return std::exp(a * x[0] + x[1] + x[2] + x[3] + x[4] + x[5]);
        });
    const double exact = std::pow(std::exp(1) - 1, 5) * (std::exp(a) - 1) / a;
    CHECK(std::fabs(fine - exact) < 1e-3 * exact);
    CHECK(std::fabs(fine - exact) < std::fabs(fine - coarse));
    CHECK(std::fabs(fine - coarse) < 1e-2 * exact);
  }
}

TEST_CASE("integrals over surfaces and cut regions are off by less than is said",
          "[data][quadrature]") {
  const auto cut = [&](double radius) {
    return make_cut({.box = {{-1, 1}, {-1, 1}},
                     .space = {0, 1},
                     .body = subtracted(square(2), disk(0.1, 0.2, radius)),
                     .piece = {},
                     .normal = {},
                     .conditions = {}});
  };
  const auto one = [](const double*, const double*) { return 1.; };
  for (int k = 1; k < 10; ++k) {
    INFO(k);
    const double radius = 0.07 * k, exact = 4 - pi * radius * radius;
    const auto region = cut(radius);
    const auto [area, other] = integral(quadrature(*region, 1 << 12), one);
    CHECK(std::fabs(area - exact) <= std::fabs(area - other) + 1e-12);
    const auto [second, far] = integral(quadrature(*region, 1 << 12),
                                        [](const double* x, const double*) { return x[0] * x[0]; });
    const double hole = pi * radius * radius * (radius * radius / 4 + 0.01);
    CHECK(std::fabs(second - (4. / 3 - hole)) <= std::fabs(second - far));
  }
  const ShapePtr prism =
      make_shape({"prism", {{"polygon", {0, 0, 1, 0, 0.3, 2}}, {"heights", {0, 0.7}}}}, 3);
  std::vector<Interval> box = prism->bounds();
  std::vector<std::shared_ptr<const Region>> parts;
  for (const auto& piece : prism->surface())
    parts.push_back(make_cut({.box = box,
                              .space = {0, 1, 2},
                              .body = prism,
                              .piece = BodyPiece{piece},
                              .normal = {},
                              .conditions = {}}));
  const auto surface = make_union(parts);
  for (int c = 0; c < 3; ++c) {
    const auto [through, far] = integral(quadrature(*surface, 1 << 14),
                                         [&](const double*, const double* n) { return n[c]; });
    CHECK(std::fabs(through) <= std::fabs(through - far) + 1e-13);
  }
}

TEST_CASE("areas and outlines of shapes are those of geometry", "[data][quadrature]") {
  const Cut inside{.box = {{-1, 1}, {-1, 1}},
                   .space = {0, 1},
                   .body = disk(0.1, 0, 0.5),
                   .piece = {},
                   .normal = {},
                   .conditions = {}};
  CHECK(length(*make_cut(inside)) == Approx(pi * 0.25).epsilon(1e-11));
  CHECK(length(*outline(disk(0.1, 0, 0.5))) == Approx(pi).epsilon(1e-13));
  CHECK(length(*outline(square(2))) == Approx(8).epsilon(1e-13));
  const ShapePtr triangle = make_shape({"polygon", {{"corners", {0, 0, 4, 0, 0, 3}}}}, 2);
  CHECK(length(*outline(triangle)) == Approx(12).epsilon(1e-13));
  CHECK(length(*outline(subtracted(square(2), disk(1, 1, 0.5)))) ==
        Approx(8 - 1 + pi / 4).epsilon(1e-12));
}

TEST_CASE("edges of an outline are ends of panels, wherever it is cut", "[data][quadrature]") {
  // |n_x| jumps at every corner of a polygon, and where the disk begins.
  const ShapePtr shape = subtracted(square(2), disk(1, 1, 0.5));
  const auto across = [](const Region& region) {
    return integral(quadrature(region, 4096),
                    [](const double*, const double* n) { return std::fabs(n[0]); });
  };
  const auto [fine, coarse] = across(*outline(shape));
  CHECK(fine == Approx(4).epsilon(1e-13));
  CHECK(coarse == Approx(4).epsilon(1e-9));
  const auto upper = outline(shape, {{-1, 1}, {0.2, 1}});
  CHECK(across(*upper).first == Approx(1.6).epsilon(1e-8));  // on the edge to 1e-9 of the size
  const auto right =
      outline(shape, {}, {[](std::span<const double> x) { return x[0] + x[1] > 0.3; }});
  CHECK(length(*right) == Approx(2 * 1.2 + pi / 4).epsilon(1e-10));
}

TEST_CASE("a cloud of points is no curve", "[data][quadrature]") {
  CHECK_FALSE(make_box({{0, 1}})->sampler().panels()->empty());
  CHECK(disk(0, 0, 1)->surface()[0]->panels()->size() == 1);
  CHECK_FALSE(disk(0, 0, 1)->interior()->panels().has_value());
}

TEST_CASE("Gauss's rule is exact up to its degree in each coordinate", "[data][quadrature]") {
  const auto box = make_box({{-1, 2}, {0, 0.5}, {1, 1}});
  REQUIRE(has_panels(*box));
  for (const int points : {1, 2, 5, 16, 64}) {
    const Quadrature rule = gauss_quadrature(*box, points);
    CHECK(rule.count == std::size_t(points * points));
    CHECK(gauss_nodes(*box, points) == double(rule.count));
    for (const int power : {0, 1, points, 2 * points - 1}) {
      const auto [fine, coarse] = integral(rule, [&](const double* x, const double*) {
        return std::pow(x[0], power) * std::pow(x[1], 2 * points - 1);
      });
      const double exact = (std::pow(2, power + 1) - std::pow(-1, power + 1)) / (power + 1) *
                           std::pow(0.5, 2 * points) / (2 * points);
      CHECK(fine == Approx(exact).epsilon(1e-12));
      CHECK(coarse == fine);
    }
  }
}

TEST_CASE("the integral of a constant by Gauss's rule is the measure", "[data][quadrature]") {
  const auto faces = make_union({make_box({{0, 0}, {0, 2}}), make_box({{0, 3}, {1, 1}})});
  for (const auto& region : {make_box({{-1, 2}, {0, 0.5}}), faces, outline(disk(0, 0, 0.4))}) {
    const Quadrature rule = gauss_quadrature(*region, 7);
    const double all = integral(rule, [](const double*, const double*) { return 1.; }).first;
    CHECK(all == Approx(region->measure()).epsilon(1e-13));
  }
  CHECK_FALSE(has_panels(*make_cut({.box = {{0, 1}, {0, 1}},
                                    .space = {0, 1},
                                    .body = disk(0.5, 0.5, 0.4),
                                    .piece = {},
                                    .normal = {},
                                    .conditions = {}})));
}
