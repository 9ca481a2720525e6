#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/core/error.h"
#include "data/geometry/motion.h"
#include "tests/catch.h"
#include "tests/data/geometry/laws.h"

using namespace pinn;
using namespace pinn::test;

namespace {

using std::numbers::pi;

ShapePtr rectangle(double x0, double y0, double x1, double y1) {
  return make_shape({"rectangle", {{"lower", {x0, y0}}, {"upper", {x1, y1}}}}, 2);
}

ShapePtr cuboid(std::vector<double> lower, std::vector<double> upper) {
  return make_shape({"cuboid", {{"lower", lower}, {"upper", upper}}}, 3);
}

double surface_of(const SpatialShape& shape) {
  double sum = 0;
  for (const auto& piece : shape.surface()) sum += measure_of(*piece);
  return sum;
}

bool is_left(const SpatialShape& shape) {
  try {
    shape.interior();
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("the curves of a formula are as long as they are, to rounding", "[data][geometry]") {
  // half disk: its arc and its diameter
  const auto half = intersected(disk(0, 0, 1), rectangle(-2, -2, 2, 0));
  CHECK(surface_of(*half) == Approx(pi + 2).epsilon(1e-12));
  // a square less a disk around its corner, and around a point of its side
  const double r = 0.3;
  CHECK(surface_of(*subtracted(rectangle(0, 0, 1, 1), disk(1, 1, r))) ==
        Approx(4 - 2 * r + pi / 2 * r).epsilon(1e-12));
  CHECK(surface_of(*subtracted(rectangle(0, 0, 1, 1), disk(0.37, 1, r))) ==
        Approx(4 - 2 * r + pi * r).epsilon(1e-12));
  // two disks at an angle: a lens and its complement
  const double d = 0.7, angle = 2 * std::acos(d / 2);
  CHECK(surface_of(*intersected(disk(0, 0, 1), disk(d, 0, 1))) == Approx(2 * angle).epsilon(1e-12));
  CHECK(surface_of(*united(disk(0, 0, 1), disk(d, 0, 1))) ==
        Approx(4 * pi - 2 * angle).epsilon(1e-12));
  // a hole within touches nothing, a small one on a long side is found
  CHECK(surface_of(*subtracted(rectangle(0, 0, 10, 1), disk(5, 0.5, 0.1))) ==
        Approx(22 + 0.2 * pi).epsilon(1e-12));
  CHECK(surface_of(*subtracted(rectangle(0, 0, 1, 1), disk(0.123, 0, 1e-4))) ==
        Approx(4 - 2e-4 + pi * 1e-4).epsilon(1e-12));
}

TEST_CASE("where faces coincide one stays, or none", "[data][geometry]") {
  const auto left = rectangle(0, 0, 1, 1), right = rectangle(1, 0, 2, 1);
  CHECK(surface_of(*united(left, right)) == Approx(6).epsilon(1e-12));  // the seam is gone
  CHECK(surface_of(*united(left, rectangle(0, 0, 2, 1))) == Approx(6).epsilon(1e-12));
  CHECK(surface_of(*subtracted(rectangle(0, 0, 2, 1), left)) == Approx(4).epsilon(1e-12));
  CHECK(surface_of(*intersected(left, rectangle(0, 0, 2, 1))) == Approx(4).epsilon(1e-12));
  CHECK(surface_of(*united(left, left)) == Approx(4).epsilon(1e-12));
  CHECK(surface_of(*united(left, rectangle(0, 0, 1, 1))) == Approx(4).epsilon(1e-12));
  for (double gap : {1e-14, 1e-12, 1e-9}) {  // as good as none, on either side of it
    CHECK(surface_of(*united(left, rectangle(1 + gap, 0, 2, 1))) == Approx(6).epsilon(2e-9));
    CHECK(surface_of(*united(left, rectangle(1 - gap, 0, 2, 1))) == Approx(6).epsilon(2e-9));
    CHECK(surface_of(*subtracted(left, rectangle(0.5, gap, 2, 1 - gap))) ==
          Approx(3).epsilon(2e-9));
    CHECK(surface_of(*united(left, rectangle(0, gap, 1, 1 + gap))) == Approx(4).epsilon(2e-9));
  }
  CHECK(surface_of(*united(left, rectangle(1 + 1e-5, 0, 2, 1))) == Approx(8).epsilon(1e-4));
  CHECK(surface_of(*united(cuboid({0, 0, 0}, {1, 1, 1}), cuboid({1, 0, 0}, {2, 1, 1}))) ==
        Approx(10).epsilon(1e-3));
  const auto half_disk = intersected(disk(0, 0, 1), rectangle(-1, -1, 1, 0));
  CHECK(surface_of(*united(half_disk, disk(0, 0, 1))) == Approx(2 * pi).epsilon(1e-12));
  CHECK(!is_left(*subtracted(left, left)));
  CHECK(!is_left(*intersected(left, right)));
}

TEST_CASE("a formula is closed: its surface is inside", "[data][geometry]") {
  const auto all = rectangle(0, 0, 3, 3), hole = rectangle(1, 1, 2, 2);
  const double on_hole[] = {1, 1.5}, on_all[] = {3, 1.5}, within[] = {1.5, 1.5};
  const auto ring = subtracted(all, hole);
  CHECK(ring->inside(on_hole));
  CHECK(ring->inside(on_all));
  CHECK(!ring->inside(within));
  const auto again = subtracted(all, ring);  // the hole, by a difference of a difference
  CHECK(again->inside(on_hole));
  CHECK(again->inside(within));
  CHECK(intersected(ring, hole)->inside(on_hole));
}

TEST_CASE("formulas on a line have ends", "[data][geometry]") {
  const auto interval = [](double a, double b) {
    return make_shape({"interval", {{"range", {a, b}}}}, 1);
  };
  const auto ends = [](const SpatialShape& shape) {
    std::vector<std::pair<double, double>> all;
    for (const auto& piece : shape.surface()) {
      std::vector<double> x(1), n(1);
      piece->sample({}, x, n);
      all.emplace_back(x[0], n[0]);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  using Ends = std::vector<std::pair<double, double>>;
  CHECK(ends(*united(interval(0, 1), interval(1, 2))) == Ends{{0, -1}, {2, 1}});
  const auto two = subtracted(interval(0, 3), interval(1, 2));
  CHECK(ends(*two) == Ends{{0, -1}, {1, 1}, {2, -1}, {3, 1}});
  CHECK(measure_of(*two->interior()) == Approx(2).epsilon(1e-3));
  CHECK(ends(*intersected(interval(0, 3),
                          make_shape({"halfspace", {{"point", {1}}, {"normal", {2}}}}, 1))) ==
        Ends{{0, -1}, {1, 1}});
}

TEST_CASE("half-spaces cut what is bounded, and are no region by themselves",
          "[data][geometry][errors]") {
  const auto half = [](std::vector<double> point, std::vector<double> normal) {
    const int d = int(point.size());
    return make_shape({"halfspace", {{"point", point}, {"normal", normal}}}, d);
  };
  const auto below = half({0, 0.25}, {1, 2});
  const auto cut = intersected(disk(0, 0, 1), below);
  const double far = 0.5 / std::sqrt(5.0), angle = std::acos(far);  // of the chord
  CHECK(surface_of(*cut) == Approx(2 * (pi - angle) + 2 * std::sqrt(1 - far * far)).epsilon(1e-12));
  CHECK(measure_of(*cut->interior()) ==
        Approx(pi - angle + far * std::sqrt(1 - far * far)).epsilon(1e-3));
  CHECK(divergence(*cut, {.seed = 11}) == "");
  CHECK(divergence(*subtracted(rectangle(-1, -1, 1, 1), below), {.seed = 12}) == "");
  // a square of half-spaces only, and one that another shape is joined to on the way
  const auto square = intersected(intersected(half({0, 0}, {-1, 0}), half({1, 0}, {1, 0})),
                                  intersected(half({0, 0}, {0, -3}), half({0, 1}, {0, 1})));
  CHECK(surface_of(*square) == Approx(4).epsilon(1e-12));
  CHECK(measure_of(*square->interior()) == Approx(1));
  const auto joined =
      intersected(united(half({0, 0}, {1, 0}), disk(0, 0, 1)), rectangle(-2, -2, 2, 2));
  CHECK(measure_of(*joined->interior()) == Approx(8 + pi / 2).epsilon(1e-3));
  CHECK(divergence(*joined, {.seed = 13}) == "");
  const auto corner = intersected(make_shape({"ball", {{"center", {0, 0, 0}}, {"radius", {1}}}}, 3),
                                  half({0, 0, 0}, {1, 1, 1}));
  CHECK(surface_of(*corner) == Approx(3 * pi).epsilon(1e-3));
  CHECK_THROWS_WITH(below->interior(), Catch::Contains("reaches to infinity"));
  CHECK_THROWS_WITH(united(disk(0, 0, 1), below)->interior(),
                    Catch::Contains("reaches to infinity"));
  CHECK_THROWS_WITH(united(disk(0, 0, 1), below)->surface(),
                    Catch::Contains("reaches to infinity"));
}

TEST_CASE("a formula that leaves nothing says so", "[data][geometry][errors]") {
  const auto nothing = intersected(disk(0, 0, 1), disk(5, 0, 1));
  CHECK_THROWS_WITH(nothing->interior(),
                    "error: nothing is left of a region: none of 65536 points lies in it\n  fix:   "
                    "see whether its shapes meet where they should");
  CHECK_THROWS_WITH(subtracted(disk(0, 0, 1), disk(0, 0, 2))->interior(),
                    Catch::Contains("nothing is left"));
  CHECK_THROWS_WITH(united(disk(0, 0, 1), cuboid({0, 0, 0}, {1, 1, 1})),
                    Catch::Contains("shapes of 2 and of 3 dimensions are joined"));
}

TEST_CASE("a formula of thousands of shapes, however nested, is no deeper than a list",
          "[data][geometry]") {
  ShapePtr plate = rectangle(0, 0, 50, 40), nested = disk(0, 0, 0.1);
  double holes = 0;
  for (int k = 0; k < 1000; ++k) {
    plate = subtracted(plate, disk(0.5 + k % 40, 0.5 + k / 40, 0.3));
    nested = united(disk(k + 1, 0, 0.1), nested);  // the other way round
    ++holes;
  }
  CHECK(surface_of(*plate) == Approx(180 + holes * 0.6 * pi).epsilon(1e-12));
  const double inside[] = {999, 0}, outside[] = {999.5, 0};
  CHECK(nested->inside(inside));
  CHECK(!nested->inside(outside));
  CHECK(measure_of(*nested->interior()) == Approx(1001 * 0.01 * pi).epsilon(1e-3));
}

TEST_CASE("a plate in space has the faces and walls that its holes leave", "[data][geometry]") {
  ShapePtr plate = cuboid({0, 0, 0}, {10, 10, 1});
  const int holes = 25;
  const double r = 0.6;
  for (int k = 0; k < holes; ++k) {
    const double x = 1 + 2 * (k % 5), y = 1 + 2 * (k / 5);
    plate = subtracted(
        plate, make_shape({"cylinder",
                           {{"from", {x, y, 0}}, {"to", {x, y, 1}}, {"radius", {r}}}},  // flush
                          3));
  }
  CHECK(plate->surface().size() == 6 + holes);  // no lids
  CHECK(surface_of(*plate) ==
        Approx(240 - holes * 2 * pi * r * r + holes * 2 * pi * r).epsilon(1e-3));
  CHECK(measure_of(*plate->interior()) == Approx(100 - holes * pi * r * r).epsilon(1e-3));
  CHECK(divergence(*plate, {.seed = 21}) == "");
}

TEST_CASE("a formula of more than 10 000 shapes is refused", "[data][geometry][errors]") {
  std::vector<ShapePtr> many;
  for (int k = 0; k < 10'001; ++k) many.push_back(disk(k, 0, 0.1));
  CHECK_THROWS_WITH(united(many), Catch::Contains("made of more than 10000 shapes"));
  many.pop_back();
  CHECK(united(many)->dimension() == 2);
  const ShapePtr row = repeated(disk(0, 0, 0.1), 10'000, {1, 0});
  CHECK_THROWS_WITH(repeated(row, 1'000'000'000, {0, 1}),  // of which none is made
                    Catch::Contains("made of more than 10000 shapes"));
}
