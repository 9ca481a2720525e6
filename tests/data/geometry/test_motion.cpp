#include "data/geometry/motion.h"

#include <cmath>
#include <numbers>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/geometry/laws.h"
#include "tests/data/geometry/random_tree.h"

using namespace pinn;
using namespace pinn::test;

namespace {

using std::numbers::pi;

std::vector<double> image(const Motion& m, const std::vector<double>& x) {
  std::vector<double> y = m.shift;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j)
      y[i] += m.scale * m.rotation[i * x.size() + j] * x[j];
  return y;
}

void check_image(const std::vector<MotionNumbers>& terms, const std::vector<double>& x,
                 const std::vector<double>& expected) {
  const auto y = image(motion_of(terms, int(x.size())), x);
  for (std::size_t k = 0; k < x.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(1e-14));
}

std::string refusal(const std::vector<MotionNumbers>& terms, int dimension) {
  try {
    motion_of(terms, dimension);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("transforms take places where they say, first to last", "[data][geometry]") {
  check_image({}, {1, 2}, {1, 2});
  check_image({{"move", {{"by", {1, -1}}}}}, {1, 2}, {2, 1});
  check_image({{"rotate", {{"angle", {pi / 2}}}}}, {1, 2}, {-2, 1});
  check_image({{"rotate", {{"angle", {pi / 2}}, {"about", {1, 1}}}}}, {1, 2}, {0, 1});
  check_image({{"scale", {{"factor", {3}}, {"about", {1, 0}}}}}, {2, 1}, {4, 3});
  check_image({{"mirror", {{"coordinate", {0}}, {"about", {1, 0}}}}}, {3, 5}, {-1, 5});
  check_image({{"rotate", {{"angle", {pi / 2}}, {"axis", {0, 0, 2}}}}}, {1, 2, 3}, {-2, 1, 3});
  check_image({{"rotate", {{"angle", {2 * pi / 3}}, {"axis", {1, 1, 1}}}}}, {1, 2, 3}, {3, 1, 2});
  check_image({{"move", {{"by", {1, 0}}}}, {"rotate", {{"angle", {pi}}}}}, {1, 2}, {-2, -2});
  check_image({{"rotate", {{"angle", {pi}}}}, {"move", {{"by", {1, 0}}}}}, {1, 2}, {0, -2});
}

TEST_CASE("a moved formula is the formula of what was moved", "[data][geometry]") {
  Dice dice(1);
  for (int k = 0; k < 40; ++k) {
    const int d = 2 + k % 2;
    const RandomTree tree = random_tree(dice, d, 4);
    std::vector<MotionNumbers> terms{{"scale", {{"factor", {0.5 + dice.uniform()}}}},
                                     {"rotate", {{"angle", {6 * dice.uniform()}}}},
                                     {"mirror", {{"coordinate", {1}}}}};
    if (d == 3) terms[1].arguments["axis"] = {1, dice.uniform(), -1};
    const Motion motion = motion_of(terms, d);
    const ShapePtr once = moved(tree.shape, motion), twice = moved(once, motion);
    for (const auto& x : points_around(*tree.shape, 0.2, 100, dice.stream(k))) {
      const auto y = image(motion, x), z = image(motion, y);
      const double distance = tree.shape->distance(x);
      CHECK(once->distance(y) == Approx(motion.scale * distance).margin(1e-13));
      CHECK(twice->distance(z) == Approx(motion.scale * motion.scale * distance).margin(1e-13));
      if (std::fabs(distance) > 1e-12) CHECK(once->inside(y) == tree.shape->inside(x));
    }
  }
}

TEST_CASE("the surface of a moved formula is moved", "[data][geometry]") {
  Dice dice(2);
  for (int k = 0; k < 20; ++k) {
    const RandomTree tree = random_tree(dice, 2, 3);
    double whole = 0, after = 0;
    for (const auto& piece : tree.shape->surface()) whole += measure_of(*piece);
    const Motion motion =
        motion_of({{"rotate", {{"angle", {1}}}}, {"scale", {{"factor", {3}}}}}, 2);
    for (const auto& piece : moved(tree.shape, motion)->surface()) after += measure_of(*piece);
    CHECK(after == Approx(3 * whole).epsilon(1e-11));
  }
}

TEST_CASE("a shape is repeated as one shape", "[data][geometry]") {
  const ShapePtr row = repeated(disk(0, 0, 0.3), 4, {1, 0});
  CHECK(measure_of(*row->interior()) == Approx(4 * 0.09 * pi).epsilon(1e-3));
  const double last[] = {3, 0.2}, beyond[] = {4, 0};
  CHECK(row->inside(last));
  CHECK(!row->inside(beyond));
  const ShapePtr chain = repeated(disk(0, 0, 1), 3, {1, 0});  // they overlap
  CHECK(divergence(*chain, {.seed = 1}) == "");
  CHECK(inner_moments(*chain, {.seed = 2}) == "");
  CHECK_THROWS_WITH(repeated(row, 0, {1, 0}), Catch::Contains("is repeated 0 times"));
}

TEST_CASE("a half-space is moved with its surface", "[data][geometry]") {
  const ShapePtr half = make_shape({"halfspace", {{"point", {0, 0}}, {"normal", {1, 0}}}}, 2);
  const Motion motion =
      motion_of({{"rotate", {{"angle", {0.5}}}}, {"move", {{"by", {0.2, 0.1}}}}}, 2);
  const ShapePtr cut = intersected(disk(0, 0, 1), moved(half, motion));
  CHECK(divergence(*cut, {.seed = 3}) == "");
}

TEST_CASE("wrong transforms are refused by the name of the argument", "[data][geometry][errors]") {
  CHECK(refusal({{"scale", {{"factor", {0}}}}}, 2).find("where: factor") != std::string::npos);
  CHECK(refusal({{"turn", {}}}, 2) ==
        "error: there is no transform 'turn'\n  where: turn\n  fix:   choose one of move, rotate, "
        "scale, mirror, repeat");
  CHECK(refusal({{"rotate", {{"angle", {1}}}}}, 3).find("lacks its 'axis'") != std::string::npos);
  CHECK(refusal({{"rotate", {{"angle", {1}}, {"axis", {0, 0, 0}}}}}, 3).find("no direction") !=
        std::string::npos);
  CHECK(refusal({{"move", {{"by", {1}}}}}, 2).find("where: by") != std::string::npos);
  CHECK(
      refusal({{"mirror", {{"coordinate", {2}}}}}, 2) ==
      "error: there is no coordinate 2 of 2\n  where: coordinate\n  fix:   mirror a coordinate of "
      "the shape");
  CHECK(refusal({{"move", {{"by", {1, std::nan("")}}}}}, 2).find("holds the number nan") !=
        std::string::npos);
}
