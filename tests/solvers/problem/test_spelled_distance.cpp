#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/motion.h"
#include "data/geometry/shape.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "tests/catch.h"
#include "tests/dice.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;

namespace {

using Arguments = std::map<std::string, std::vector<double>>;
using Texts = std::map<std::string, std::vector<std::string>>;

struct Spelled {
  std::string kind;
  int dimension;
  Arguments arguments;
};

/// A shape of every kind that has a formula.
const std::vector<Spelled>& all() {
  static const std::vector<Spelled> shapes{
      {"interval", 1, {{"range", {-0.3, 0.4}}}},
      {"disk", 2, {{"center", {0.1, -0.2}}, {"radius", {0.6}}}},
      {"ball", 3, {{"center", {0.1, -0.2, 0}}, {"radius", {0.6}}}},
      {"annulus", 2, {{"center", {0, 0}}, {"inner", {0.3}}, {"outer", {0.6}}}},
      {"shell", 3, {{"center", {0, 0.1, 0}}, {"inner", {0.3}}, {"outer", {0.6}}}},
      {"ellipse", 2, {{"center", {0.1, 0}}, {"radii", {0.8, 0.3}}}},
      {"ellipsoid", 3, {{"center", {0.1, 0, 0}}, {"radii", {0.8, 0.3, 0.5}}}},
      {"rectangle", 2, {{"center", {0.1, 0}}, {"size", {0.8, 1.3}}}},
      {"rectangle", 2, {{"lower", {-0.5, -0.7}}, {"upper", {0.6, 0}}, {"rounding", {0.1}}}},
      {"cuboid", 3, {{"center", {0.1, 0, 0}}, {"size", {0.8, 0.3, 0.5}}}},
      {"sector", 2, {{"center", {0.1, 0}}, {"radius", {0.7}}, {"angles", {0.2, 1.1}}}},
      {"sector", 2, {{"center", {0.1, 0}}, {"radius", {0.7}}, {"angles", {0.2, 5}}}},
      {"triangle", 2, {{"corners", {-0.5, -0.5, 0.8, 0, 0, 0.3}}}},
      {"triangle", 2, {{"corners", {-0.5, -0.5, 0, 0.3, 0.8, 0}}}},
      {"tetrahedron", 3, {{"corners", {-0.5, -0.5, 0, 0, 0.3, 0, 0.8, 0, 0, 0, 0, 0.9}}}},
      {"capsule", 2, {{"from", {-0.5, 0.1}}, {"to", {0.4, 0.3}}, {"radius", {0.2}}}},
      {"capsule", 3, {{"from", {-0.5, 0.1, 0}}, {"to", {0.4, 0.3, 1}}, {"radius", {0.2}}}},
      {"cylinder", 3, {{"from", {-0.5, 0.1, 0}}, {"to", {0.4, 0.3, 1}}, {"radius", {0.2}}}},
      {"cone", 3, {{"from", {-0.5, 0.1, 0}}, {"to", {0.4, 0.3, 1}}, {"radii", {0.2, 0.5}}}},
      {"cone", 3, {{"from", {-0.5, 0.1, 0}}, {"to", {0.4, 0.3, 1}}, {"radii", {0.4, 0}}}},
      {"torus", 3, {{"center", {0, 0.1, 0}}, {"axis", {0.4, 0.3, 1}}, {"radii", {0.5, 0.2}}}},
      {"polygon", 2, {{"corners", {-0.5, -0.5, 0.5, -0.4, 0.3, 0.6, -0.4, 0.4}}}},
      {"polygon", 2, {{"corners", {-1, -1, 1, -1, 1, 0, 0, 0, 0, 1, -1, 1}}}},
      {"polygon",
       2,
       {{"corners",
         {-0.9, 0, 0, 0.1, 0.1, -0.5, 0.2, 0.2, 0.9, 0.5, 0.1, 0.4, 0, 0.9, -0.1, 0.3}}}},
      {"polygon", 2, {{"corners", {-0.9, -0.9, 0.9,  -0.9, 0.9, 0.9,  -0.6, 0.9, -0.6, -0.6, 0.6,
                                   -0.6, 0.6,  0.6,  -0.3, 0.6, -0.3, -0.3, 0.3, -0.3, 0.3,  0.3,
                                   0,    0.3,  0,    0,    0.1, 0,    0.1,  0.2, 0.2,  0.2,  0.2,
                                   -0.2, -0.2, -0.2, -0.2, 0.5, 0.5,  0.5,  0.5, -0.5, -0.5, -0.5,
                                   -0.5, 0.8,  0.8,  0.8,  0.8, -0.8, -0.9, -0.8}}}},
      {"prism",
       3,
       {{"polygon", {-0.9, -0.8, 0.8, -0.9, 0.8, 0, 0, 0, 0, 0.8, -0.9, 0.8}},
        {"heights", {-0.3, 0.5}}}},
      {"revolution", 3, {{"polygon", {0, -0.5, 0.8, -0.5, 0.4, 0, 0.6, 0.5, 0, 0.7}}}},
      {"revolution",
       3,
       {{"polygon", {0.2, -0.5, 0.8, -0.5, 0.6, 0, 0.6, 0.5}}, {"axis", {0.3, 1, -0.2}}}},
      {"halfspace", 2, {{"point", {0, 0.1}}, {"normal", {0.4, -0.3}}}},
  };
  return shapes;
}

Texts texts_of(const Arguments& arguments) {
  Texts texts;
  for (const auto& [name, numbers] : arguments)
    for (double number : numbers) texts[name].push_back(fmt::format("{}", number));
  return texts;
}

/// x, y, z in (-1, 1), and the time.
Problem space() {
  Problem p;
  for (const char* name : {"x", "y", "z"}) p.coordinates.push_back({name, -1, 1, Role::space, ""});
  p.coordinates.push_back({"t", 0, 1, Role::time, ""});
  return p;
}

const std::vector<std::string> names{"x", "y", "z"};

std::vector<std::string> first(int dimension) { return {names.begin(), names.begin() + dimension}; }

}  // namespace

TEST_CASE("a spelled distance is the number that the shape gives", "[problem]") {
  const Problem p = space();
  test::Dice dice(1);
  for (const Spelled& s : all()) {
    const ShapePtr shape = make_shape({s.kind, s.arguments}, s.dimension);
    const std::string text = spelled_distance(s.kind, texts_of(s.arguments), first(s.dimension));
    INFO(text);
    const Evaluator distance(*expression(text, {p, Scope::Use::formula}));
    DistanceKind kind = DistanceKind::none;
    for (const ShapeKind& known : shape_kinds())
      if (known.name == s.kind) kind = known.spelled;
    for (int k = 0; k < 300; ++k) {
      const double x[] = {2 * dice.uniform() - 1, 2 * dice.uniform() - 1, 2 * dice.uniform() - 1,
                          0};
      const double told = distance({.coordinates = x}),
                   known = shape->distance(std::span(x, std::size_t(s.dimension)));
      if (kind == DistanceKind::exact) {
        CHECK(told == Approx(known).margin(1e-12));
      } else {
        CHECK(std::fabs(told) <= std::fabs(known) + 1e-12);
        CHECK((told < 0) == (known < 0));
      }
    }
  }
}

TEST_CASE("every kind of shape that says so has a spelled distance", "[problem]") {
  for (const ShapeKind& kind : shape_kinds()) {
    INFO(kind.name);
    const bool is_there = std::any_of(all().begin(), all().end(),
                                      [&](const Spelled& s) { return s.kind == kind.name; });
    CHECK(is_there == (kind.spelled != DistanceKind::none));
  }
  CHECK(message([] {
          spelled_distance("simplex", {}, {"x", "y", "z"});
        }) ==
        "error: the distance to a shape 'simplex' has no formula\n  where: simplex\n  fix:   "
        "choose a "
        "shape that has one, such as disk, rectangle, capsule or triangle");
}

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

TEST_CASE("on the surface the derivative of a spelled distance is the normal", "[problem]") {
  const Problem p = space();
  for (const Spelled& s : all()) {
    const ShapePtr shape = make_shape({s.kind, s.arguments}, s.dimension);
    if (!shape->bounded()) continue;
    DistanceKind kind = DistanceKind::none;
    for (const ShapeKind& known : shape_kinds())
      if (known.name == s.kind) kind = known.spelled;
    const std::string text = spelled_distance(s.kind, texts_of(s.arguments), first(s.dimension));
    INFO(text);
    std::vector<Evaluator> slopes;
    const ExpressionPtr distance = expression(text, {p, Scope::Use::formula});
    for (int c = 0; c < s.dimension; ++c)
      slopes.emplace_back(*substitute_fields(differentiate(distance, c), {}));
    test::Dice dice(2);
    for (const auto& piece : shape->surface())
      for (int k = 0; k < 20; ++k) {
        std::vector<double> cube, x(s.dimension), n(s.dimension);
        for (int c = 0; c < piece->numbers(); ++c) cube.push_back(dice.uniform());
        piece->sample(cube, x, n);
        double cosine = 0, size = 0;
        std::vector<double> at = x;
        at.resize(4);
        for (int c = 0; c < s.dimension; ++c) {
          const double slope = slopes[c]({.coordinates = at});
          cosine += slope * n[c];
          size += slope * slope;
        }
        CHECK(cosine == Approx(std::sqrt(size)).epsilon(1e-9));
        if (kind == DistanceKind::exact) CHECK(size == Approx(1).epsilon(1e-9));
      }
  }
}

TEST_CASE("a spelled distance is finite everywhere, and so is its slope", "[problem]") {
  const Problem p = space();
  for (const Spelled& s : all()) {
    const std::string text = spelled_distance(s.kind, texts_of(s.arguments), first(s.dimension));
    INFO(text);
    const ExpressionPtr distance = expression(text, {p, Scope::Use::formula});
    for (int c = 0; c < s.dimension; ++c) {
      const Evaluator slope(*substitute_fields(differentiate(distance, c), {}));
      for (double x : {0.0, 0.1, -0.5, 0.4})
        for (double y : {0.0, 0.1, -0.2, 0.3})
          for (double z : {0.0, 1.0}) {
            const double at[] = {x, y, z, 0};
            CHECK(std::isfinite(slope({.coordinates = at})));
          }
    }
  }
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
