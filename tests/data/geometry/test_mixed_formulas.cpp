#include <cmath>
#include <numbers>

#include "data/geometry/implicit.h"
#include "data/geometry/motion.h"
#include "tests/catch.h"
#include "tests/data/geometry/laws.h"
#include "tests/data/geometry/meshes.h"

using namespace pinn;
using namespace pinn::test;

namespace {

ShapePtr ball(std::vector<double> center, double radius) {
  const int d = int(center.size());
  return make_shape({"ball", {{"center", std::move(center)}, {"radius", {radius}}}}, d);
}

/// The laws of interiors and surfaces.
void check(const SpatialShape& shape) {
  CHECK(divergence(shape, {.seed = 1}) == "");
  CHECK(inner_moments(shape, {.seed = 2}) == "");
  CHECK(inner_points(shape, {.seed = 3}) == "");
  CHECK(surface_points(shape, {.seed = 4}) == "");
}

/// A half-plane that knows inside from outside and no more.
class Below : public SpatialShape {
 public:
  int dimension() const override { return 2; }
  std::vector<Interval> bounds() const override { return {{-2, 2}, {-2, 0.1}}; }
  bool inside(std::span<const double> x) const override { return x[1] <= 0.1; }
  DistanceKind distance_kind() const override { return DistanceKind::none; }
  double distance(std::span<const double>) const override { return std::nan(""); }
  void normal(std::span<const double>, std::span<double>) const override {}
  std::shared_ptr<const Sampler> interior() const override {
    return make_shape({"rectangle", {{"lower", {-2, -2}}, {"upper", {2, 0.1}}}}, 2)->interior();
  }
  std::vector<std::shared_ptr<const Sampler>> surface() const override { return {}; }
};

}  // namespace

TEST_CASE("a mesh is a shape among others, its patches too", "[data][geometry]") {
  const ShapePtr box = make_mesh(box_mesh());
  check(*subtracted(box, ball({1, 1, 1}, 0.5)));
  check(*subtracted(ball({0.5, 0.5, 0.5}, 0.7), box));
  // a box of a mesh beside one of the table: the seam is gone
  const ShapePtr beside = make_shape({"cuboid", {{"lower", {1, 0, 0}}, {"upper", {2, 1, 1}}}}, 3);
  const ShapePtr both = united(box, beside);
  check(*both);
  double area = 0;
  int patches = 0;
  for (const auto& piece : both->surface()) {
    area += measure_of(*piece);
    patches += !piece->patch().empty();
  }
  CHECK(area == Approx(10).epsilon(1e-3));
  CHECK(patches == 5);
}

TEST_CASE("an implicit body is a shape among others", "[data][geometry]") {
  LevelSet set;
  set.value = [](std::span<const double> x) { return x[0] * x[0] + 4 * x[1] * x[1] - 1; };
  set.lower = {-1.5, -1};
  set.upper = {1.5, 1};
  const ShapePtr oval = make_implicit(set);
  check(*subtracted(oval, ball({0.5, 0}, 0.2)));
  CHECK(divergence(*intersected(oval, ball({0.7, 0.3}, 0.5)), {.seed = 5}) == "");
  const ShapePtr turned = moved(oval, motion_of({{"rotate", {{"angle", {1}}}}}, 2));
  CHECK(divergence(*united(oval, turned), {.seed = 6}) == "");
}

TEST_CASE("a shape without a distance cuts others", "[data][geometry]") {
  const ShapePtr cut = intersected(ball({0, 0}, 1), std::make_shared<Below>());
  CHECK(cut->distance_kind() == DistanceKind::none);
  const double height = 0.1, angle = std::acos(height);
  const double area = std::numbers::pi - angle + height * std::sqrt(1 - height * height);
  CHECK(measure_of(*cut->interior()) == Approx(area).epsilon(1e-3));
  double arc = 0;  // the cut itself has no surface to draw from
  for (const auto& piece : cut->surface()) arc += measure_of(*piece);
  CHECK(arc == Approx(2 * (std::numbers::pi - angle)).epsilon(1e-6));
}
