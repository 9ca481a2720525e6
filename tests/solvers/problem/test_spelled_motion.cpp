#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/motion.h"
#include "data/geometry/shape.h"
#include "solvers/problem/evaluate.h"
#include "tests/catch.h"
#include "tests/dice.h"
#include "tests/solvers/problem/spelled.h"

using namespace pinn;

TEST_CASE("a polygon's formula has the sign of its distance, however it winds", "[problem]") {
  const Problem p = space();
  test::Dice dice(5);
  int tried = 0;
  for (int k = 0; k < 3000; ++k) {
    std::vector<double> corners;
    const int count = 4 + int(dice.below(6));
    const bool on_lattice = k % 2 == 0;
    for (int c = 0; c < 2 * count; ++c)
      corners.push_back(on_lattice ? 0.25 * double(dice.below(8)) - 1 : 2 * dice.uniform() - 1);
    ShapePtr shape;
    try {
      shape = make_shape({"polygon", {{"corners", corners}}}, 2);
    } catch (const ConfigError&) {
      continue;
    }
    ++tried;
    const std::string text =
        spelled_distance("polygon", texts_of({{"corners", corners}}), {"x", "y"});
    INFO(text);
    const Evaluator distance(*expression(text, {p, Scope::Use::formula}));
    int wrong = 0;
    for (int n = 0; n < 100; ++n) {
      const double x[] = {2 * dice.uniform() - 1, 2 * dice.uniform() - 1, 0, 0};
      const double told = distance({.coordinates = x}), known = shape->distance(std::span(x, 2));
      wrong += (told < 0) != (known < 0) || std::fabs(told) > std::fabs(known) + 1e-12;
    }
    CHECK(wrong == 0);
  }
  CHECK(tried > 300);
}

TEST_CASE("a polygon without numbers, or with too many, has no formula", "[problem][errors]") {
  std::vector<std::string> corners{"0", "0", "t", "0", "0", "1"};
  CHECK(message([&] {
          spelled_distance("polygon", {{"corners", corners}}, {"x", "y"});
        }) ==
        "error: the distance to a polygon has a formula where its corners are numbers\n  where: "
        "corners\n  fix:   write numbers, and move the polygon by a transform");
  corners.clear();
  for (int k = 0; k < 301; ++k) {
    corners.push_back(fmt::format("{}", std::cos(0.02 * k)));
    corners.push_back(fmt::format("{}", std::sin(0.02 * k)));
  }
  CHECK(message([&] {
          spelled_distance("polygon", {{"corners", corners}}, {"x", "y"});
        }).find("more than 300 corners") != std::string::npos);
  corners.resize(600);
  const std::string text = spelled_distance("polygon", {{"corners", corners}}, {"x", "y"});
  CHECK(text.size() < max_text);
  CHECK(expression(text, {space(), Scope::Use::formula}));
  const std::vector<std::string> square{"0", "0", "1", "0", "1", "1", "0", "1"};
  CHECK(message([&] {
          spelled_distance("revolution", {{"polygon", square}, {"angle", {"1"}}}, names);
        }).find("where: angle") != std::string::npos);
}

TEST_CASE("a moving shape is spelled by formulas of time", "[problem]") {
  const Problem p = space();
  const std::string text = spelled_distance(
      "disk", {{"center", {"0.3*sin(t)", "-t"}}, {"radius", {"0.1 + 0.2*t"}}}, {"x", "y"});
  CHECK(text == "sqrt(max((x - (0.3*sin(t)))^2 + (y - (-t))^2, 1e-25)) - (0.1 + 0.2*t)");
  const double t = 0.7, at[] = {0.5, 0.25, 0, t};
  CHECK(evaluate(*expression(text, {p, Scope::Use::formula}), {.coordinates = at}) ==
        Approx(std::hypot(0.5 - 0.3 * std::sin(t), 0.25 + t) - (0.1 + 0.2 * t)));
}

TEST_CASE("what is moved is spelled from where it was", "[problem]") {
  const Problem p = space();
  const Arguments box{{"lower", {-0.5, -0.7}}, {"upper", {0.6, 0}}};
  const std::vector<MotionNumbers> terms{{"rotate", {{"angle", {0.6}}, {"about", {0.1, 0.2}}}},
                                         {"scale", {{"factor", {1.5}}, {"about", {0, 0.3}}}},
                                         {"mirror", {{"coordinate", {1}}, {"about", {0, 0.1}}}},
                                         {"move", {{"by", {0.1, -0.1}}}}};
  const ShapePtr shape = moved(make_shape({"rectangle", box}, 2), motion_of(terms, 2));
  std::vector<std::string> place{"x", "y"};
  std::string factor = "1";
  for (std::size_t k = terms.size(); k-- > 0;) {
    const SpelledMotion before = spelled_before(terms[k].kind, texts_of(terms[k].arguments), place);
    place = before.coordinates;
    factor += "*" + before.factor;
  }
  const std::string text =
      fmt::format("{}*({})", factor, spelled_distance("rectangle", texts_of(box), place));
  INFO(text);
  const Evaluator distance(*expression(text, {p, Scope::Use::formula}));
  test::Dice dice(3);
  for (int k = 0; k < 200; ++k) {
    const double x[] = {2 * dice.uniform() - 1, 2 * dice.uniform() - 1, 0, 0};
    CHECK(distance({.coordinates = x}) == Approx(shape->distance(std::span(x, 2))).margin(1e-12));
  }
  // all of it at once, since it is made of numbers
  const Motion motion = motion_of(terms, 2);
  const Evaluator once(*expression(
      fmt::format("{}*({})", motion.scale,
                  spelled_distance("rectangle", texts_of(box), spelled_before(motion, {"x", "y"}))),
      {p, Scope::Use::formula}));
  for (int k = 0; k < 200; ++k) {
    const double x[] = {2 * dice.uniform() - 1, 2 * dice.uniform() - 1, 0, 0};
    CHECK(once({.coordinates = x}) == Approx(shape->distance(std::span(x, 2))).margin(1e-12));
  }
  // a wheel that turns with time, and an axis in space
  const SpelledMotion turning = spelled_before("rotate", {{"angle", {"2*t"}}}, {"x", "y"});
  CHECK(turning.coordinates ==
        std::vector<std::string>{"cos(2*t)*x + sin(2*t)*y", "(-sin(2*t))*x + cos(2*t)*y"});
  const SpelledMotion about =
      spelled_before("rotate", {{"angle", {"t"}}, {"axis", {"0", "0", "2"}}}, names);
  const double at[] = {1, 2, 3, 0.4};
  CHECK(evaluate(*expression(about.coordinates[0], {p, Scope::Use::formula}),
                 {.coordinates = at}) == Approx(std::cos(0.4) + 2 * std::sin(0.4)));
}
