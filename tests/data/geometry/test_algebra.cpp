#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/geometry/laws.h"
#include "tests/data/geometry/random_tree.h"

using namespace pinn;
using namespace pinn::test;

namespace {

bool is_left(const SpatialShape& shape) {
  try {
    shape.interior();
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

/// Checks a law with random formulas, some with hardly anything left left out.
int check_trees(std::uint64_t seed, int count, int dimension, Law law) {
  Dice dice(seed);
  int checked = 0;
  for (int k = 0; k < count; ++k) {
    const RandomTree tree = random_tree(dice, dimension, 2 + int(dice.below(4)));
    INFO("tree " << k);
    if (!is_left(*tree.shape)) continue;
    ++checked;
    CHECK(law(*tree.shape, {.seed = seed, .stream = std::uint64_t(k)}) == "");
  }
  return checked;
}

}  // namespace

TEST_CASE("a formula of shapes is inside where its operands say", "[data][geometry]") {
  Dice dice(1);
  for (int k = 0; k < 200; ++k) {
    const RandomTree tree = random_tree(dice, 2 + k % 2, 2 + int(dice.below(5)));
    const std::vector<double> size(tree.shape->dimension(), 0.75);
    int wrong = 0;
    for (int p = 0; p < 200; ++p) {
      std::vector<double> x;
      for (double s : size) x.push_back(s * dice.uniform());
      wrong += tree.shape->inside(x) != tree.inside(x);
      wrong += (tree.shape->distance(x) < 0) != tree.inside(x) && tree.shape->distance(x) != 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("what flows through the surface of a formula comes from within", "[data][geometry]") {
  CHECK(check_trees(2, 140, 2, divergence) > 90);
  CHECK(check_trees(3, 60, 3, divergence) > 40);
}

TEST_CASE("the interior of a formula has the moments that inside() says", "[data][geometry]") {
  CHECK(check_trees(4, 30, 2, inner_moments) > 20);
  CHECK(check_trees(5, 10, 3, inner_moments) > 5);
}

TEST_CASE("the points of a formula lie in every part of it as often as they should",
          "[data][geometry]") {
  CHECK(check_trees(6, 60, 2, inner_points) > 40);
}

TEST_CASE("the points of a formula's surface have its normals and sides", "[data][geometry]") {
  CHECK(check_trees(7, 140, 2, surface_points) > 90);
  CHECK(check_trees(8, 60, 3, surface_points) > 40);
}

TEST_CASE("what fills little of its shapes is drawn out of cells that hold it",
          "[data][geometry]") {
  const auto ball = [](int d, double radius) {
    return make_shape({"ball", {{"center", std::vector<double>(d)}, {"radius", {radius}}}}, d);
  };
  const auto plate = [](double x) {
    return make_shape({"rectangle", {{"lower", {x, -1}}, {"upper", {x + 0.01, 1}}}}, 2);
  };
  const ShapePtr thin[] = {
      subtracted(ball(2, 1), ball(2, 0.99)), subtracted(ball(3, 1), ball(3, 0.98)),
      intersected(subtracted(ball(2, 1), ball(2, 0.98)),
                  make_shape({"halfspace", {{"point", {0, 0}}, {"normal", {1, 1}}}}, 2)),
      intersected(ball(2, 1), united(plate(-0.3), plate(0.9)))};
  for (const ShapePtr& shape : thin) {
    const auto interior = shape->interior();
    int kept = 0;
    for (int k = 0; k < 1000; ++k)
      kept += !draw_point(*interior, {.seed = 1, .stream = std::uint64_t(k)}).x.empty();
    CHECK(kept == 1000);
    CHECK(measure_of(*interior) > 0.1 * interior->whole());
    CHECK(divergence(*shape, {.seed = 2}) == "");
    CHECK(inner_points(*shape, {.seed = 3}) == "");
  }
}

TEST_CASE("the distance of a formula is no larger than that to its surface", "[data][geometry]") {
  CHECK(check_trees(9, 60, 2, distances) > 40);
  CHECK(check_trees(10, 30, 3, distances) > 20);
}
