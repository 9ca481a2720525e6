#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/shape.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "tests/catch.h"
#include "tests/dice.h"
#include "tests/solvers/problem/spelled.h"

using namespace pinn;

namespace {

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
