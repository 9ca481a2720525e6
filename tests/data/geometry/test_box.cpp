#include "data/geometry/region.h"

#include <cmath>
#include <limits>

#include "autograd/core/error.h"
#include "data/geometry/shape.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

std::vector<double> mapped(const Region& region, std::vector<double> cube) {
  std::vector<double> x(region.coordinates());
  CHECK(region.sampler().sample(cube, x, {}));
  return x;
}

bool inside(const Region& region, std::vector<double> x, double tolerance = 0) {
  return region.inside(x, tolerance);
}

std::string message(std::vector<Interval> intervals, std::vector<double> normal = {}) {
  try {
    make_box(intervals, normal);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a box of free coordinates has their number as dimension and their product as measure",
          "[data][geometry]") {
  for (int d = 1; d <= 6; ++d) {
    std::vector<Interval> intervals;
    double volume = 1;
    for (int k = 0; k < d; ++k) intervals.push_back({-1.0, k + 1.0}), volume *= k + 2.0;
    const auto box = make_box(intervals);
    CHECK(box->coordinates() == d);
    CHECK(box->dimension() == d);
    CHECK(box->measure() == volume);
    CHECK_FALSE(box->has_normal());
    CHECK(box->parts() == std::vector<const Region*>{box.get()});
  }
}

TEST_CASE("a fixed coordinate makes a face, a second one an edge, a third one a point",
          "[data][geometry]") {
  const auto face = make_box({{0, 0}, {-1, 2}, {0, 0.5}});
  CHECK(face->dimension() == 2);
  CHECK(face->measure() == 1.5);
  const auto edge = make_box({{0, 0}, {-1, 2}, {0.5, 0.5}});
  CHECK(edge->dimension() == 1);
  CHECK(edge->measure() == 3);
  const auto point = make_box({{0, 0}, {2, 2}, {0.5, 0.5}});
  CHECK(point->dimension() == 0);
  CHECK(point->measure() == 1);
  CHECK(mapped(*point, {}) == std::vector<double>{0, 2, 0.5});
}

TEST_CASE("a box maps the unit cube linearly, past its fixed coordinates", "[data][geometry]") {
  const auto box = make_box({{-1, 3}, {0.1, 0.1}, {10, 20}});
  CHECK(mapped(*box, {0.25, 0.5}) == std::vector<double>{0, 0.1, 15});
}

TEST_CASE("a box maps even the ends of the cube strictly inside", "[data][geometry]") {
  for (const Interval i : {Interval{-1, 1}, {1, 2}, {0, 1e-300}, {1e10, 1e10 + 1}, {-3, 1e-17}}) {
    const auto box = make_box({i});
    for (double u : {0.0, 0x1p-53, 0.5, 1 - 0x1p-53, 1.0}) {
      const double x = mapped(*box, {u})[0];
      CHECK(x > i.lower);
      CHECK(x < i.upper);
    }
  }
}

TEST_CASE("inside takes the closed box and the tolerance", "[data][geometry]") {
  const auto face = make_box({{0, 1}, {2, 2}});
  CHECK(inside(*face, {0, 2}));
  CHECK(inside(*face, {1, 2}));
  CHECK_FALSE(inside(*face, {1.01, 2}));
  CHECK_FALSE(inside(*face, {0.5, 2.001}));
  CHECK(inside(*face, {0.5, 2.001}, 0.01));
  CHECK(inside(*face, {-0.005, 1.995}, 0.01));
  CHECK_FALSE(inside(*face, {-0.02, 2}, 0.01));
  CHECK_FALSE(inside(*face, {std::nan(""), 2}, 1));
}

TEST_CASE("a box gives the constant normal it was made with", "[data][geometry]") {
  const auto face = make_box({{-1, -1}, {0, 1}}, {-1, 0});
  CHECK(face->has_normal());
  std::vector<double> n(2);
  face->normal(std::vector<double>{-1, 0.3}, n);
  CHECK(n == std::vector<double>{-1, 0});
}

TEST_CASE("a box without a normal refuses to give one", "[data][geometry][errors]") {
  const auto box = make_box({{0, 1}});
  std::vector<double> n(1);
  CHECK_THROWS_AS(box->normal(std::vector<double>{0.5}, n), InternalError);
}

TEST_CASE("impossible intervals are refused with the coordinate and the way out",
          "[data][geometry][errors]") {
  CHECK(message({}) ==
        "error: a box has no coordinates\n  fix:   give one interval per coordinate");
  CHECK(message({{0, 1}, {1, 0}}) ==
        "error: an interval's lower end lies above its upper end\n"
        "  where: coordinate 2, interval [1, 0]\n"
        "  fix:   swap the two");
  for (const Interval i :
       {Interval{0, infinity}, {-infinity, 0}, {infinity, infinity}, {std::nan(""), 1}})
    CHECK_THAT(message({i}),
               Catch::Matchers::Contains("the bounds of a coordinate must be finite"));
  CHECK_THAT(message({{-1e308, 1e308}}),
             Catch::Matchers::Contains("longer than the largest number"));
  CHECK_THAT(message({{1, 1 + 0x1p-52}}), Catch::Matchers::Contains("no number between its ends"));
  CHECK_THAT(message({{0, 1e-200}, {0, 1e-200}}), Catch::Matchers::Contains("has the measure 0"));
  CHECK_THAT(message({{0, 1e200}, {0, 1e200}}), Catch::Matchers::Contains("has the measure inf"));
}

TEST_CASE("impossible normals are refused", "[data][geometry][errors]") {
  CHECK_THAT(message({{0, 0}, {0, 1}}, {1}),
             Catch::Matchers::Contains("a normal has 1 components for 2 coordinates"));
  CHECK_THAT(message({{0, 0}, {0, 1}}, {0, 1}),
             Catch::Matchers::Contains("a normal points along coordinate 2, which is free"));
  CHECK_THAT(message({{0, 0}, {0, 1}}, {2, 0}),
             Catch::Matchers::Contains("a normal's length squared is 4, not 1"));
  CHECK_THAT(message({{0, 0}, {0, 1}}, {std::nan(""), 0}), Catch::Matchers::Contains("not 1"));
}
