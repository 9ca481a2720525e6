#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/geometry/laws.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Checks a law with the shapes of the table.
void check_all(Law law) {
  for (const Example& example : examples()) {
    INFO(example.name);
    CHECK(law(*example.shape, {.seed = 1}) == "");
  }
}

std::string refusal_of(const std::string& kind,
                       const std::map<std::string, std::vector<double>>& arguments, int dimension) {
  try {
    make_shape({kind, arguments}, dimension);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a shape has the volume and the surface of the books", "[data][geometry]") {
  for (const Example& example : examples()) {
    INFO(example.name);
    const auto interior = example.shape->interior();
    CHECK(measure_of(*interior) == Approx(example.volume).epsilon(1e-12));
    double surface = 0;
    for (const auto& piece : example.shape->surface()) {
      CHECK(piece->keeps_all());
      surface += measure_of(*piece);
    }
    CHECK(surface == Approx(example.surface).epsilon(1e-12));
  }
}

TEST_CASE("the second moments of a surface are those of the books", "[data][geometry]") {
  constexpr double pi = 3.141592653589793;
  struct Known {
    const char* name;
    double middle, second;  ///< of the last coordinate, integrals over the surface
  };
  const Known all[] = {
      {"disk", -0.2 * 1.4 * pi, pi * 0.343 + 0.04 * 1.4 * pi},
      {"ball in 3", 3 * pi, pi * 0.25 / 3 + 9 * pi},
      {"annulus", 2.8 * pi, pi * (1 + 0.064) + 2.8 * pi},
      {"rectangle", 6, 2 * 8.0 / 3 + 4},
      {"cuboid in 3", 0, 2 * 0.5 + 3 * 2.0 / 3},
      {"torus", 1.2 * pi * pi, 1.2 * pi * pi * (1 + 0.045)},
      {"cylinder, downward", 2 * pi, pi + 2 * pi / 3},
      {"prism", 0.25 * 4 + 1.5, 8.0 / 24 + 0.75},
  };
  for (const Known& known : all) {
    INFO(known.name);
    bool found = false;
    for (const Example& example : examples()) {
      if (example.name != known.name) continue;
      found = true;
      const Function f = [](auto x, auto, auto values) {
        values[0] = x.back();
        values[1] = x.back() * x.back();
      };
      Estimates sum(2);
      for (const auto& piece : example.shape->surface()) {
        const Estimates part = integrals(*piece, 2, f, 50'000, {.seed = 5});
        for (int k : {0, 1})
          sum[k] = {sum[k].value + part[k].value, std::hypot(sum[k].sigma, part[k].sigma)};
      }
      CHECK(std::fabs(sum[0].value - known.middle) <= 5 * sum[0].sigma + 1e-12);
      CHECK(std::fabs(sum[1].value - known.second) <= 5 * sum[1].sigma + 1e-12);
    }
    CHECK(found);
  }
}

TEST_CASE("a shape's distance is that of its formula in other words", "[data][geometry]") {
  for (const Example& example : examples()) {
    if (!example.distance) continue;
    INFO(example.name);
    for (const auto& x : points_around(*example.shape, 0.5, 1000, {.seed = 2}))
      CHECK(example.shape->distance(x) == Approx(example.distance(x.data())).margin(1e-12));
  }
}

TEST_CASE("a shape's interior has the moments that its distance says", "[data][geometry]") {
  check_all(inner_moments);
}

TEST_CASE("what flows through a shape's surface comes from within", "[data][geometry]") {
  check_all(divergence);
}

TEST_CASE("the points of a shape and of its surface are as dense everywhere", "[data][geometry]") {
  check_all(even_density);
}

TEST_CASE("the points of a shape lie in every part of it as often as they should",
          "[data][geometry]") {
  check_all(inner_points);
}

TEST_CASE("the points of a shape's surface have its normals", "[data][geometry]") {
  check_all(surface_points);
}

TEST_CASE("a shape's distance is that to its surface, and the normal its slope",
          "[data][geometry]") {
  check_all(distances);
}

TEST_CASE("every shape of the table has an example, and every argument is wanted",
          "[data][geometry]") {
  CHECK(shape_kinds().size() >= 8);
  for (const ShapeKind& kind : shape_kinds()) {
    INFO(kind.name);
    CHECK(!kind.what.empty());
    CHECK(refusal_of(kind.name, {}, kind.most_dimension) != "no error");
    CHECK(refusal_of(kind.name, {{"colour", {1}}}, kind.least_dimension).find("colour") !=
          std::string::npos);
  }
}

TEST_CASE("a shape of wrong arguments is refused by the name of the argument",
          "[data][geometry][errors]") {
  const double nan = std::nan(""), huge = 1e308 * 10;
  CHECK(refusal_of("disk", {{"center", {0, 0}}, {"radius", {-1}}}, 2) ==
        "error: 'radius' is -1, and a size is above 0\n  where: radius\n  fix:   give a size above "
        "0");
  CHECK(refusal_of("disk", {{"center", {0, nan}}, {"radius", {1}}}, 2) ==
        "error: 'center' holds the number nan\n  where: center\n  fix:   give finite numbers, no "
        "larger than 1e100");
  CHECK(refusal_of("disk", {{"center", {0, 0}}, {"radius", {huge}}}, 2).find("where: radius") !=
        std::string::npos);
  CHECK(
      refusal_of("disk", {{"center", {0, 0, 0}}, {"radius", {1}}}, 2) ==
      "error: 'center' of a shape 'disk' has 3 numbers\n  where: center\n  fix:   give one number "
      "per coordinate, 2");
  CHECK(refusal_of("disk", {{"center", {0, 0}}}, 2) ==
        "error: a shape 'disk' lacks its 'radius'\n  where: radius\n  fix:   give one number");
  CHECK(
      refusal_of("disk", {{"center", {0, 0, 0}}, {"radius", {1}}}, 3) ==
      "error: a shape 'disk' has 2 dimensions, and here are 3 coordinates\n  where: disk\n  fix:  "
      " choose another shape, or say of which coordinates it speaks");
  CHECK(refusal_of("dsik", {}, 2).find("there is no shape 'dsik'") != std::string::npos);
  CHECK(refusal_of("rectangle", {{"center", {0, 0}}, {"upper", {1, 1}}}, 2).find("two of its") !=
        std::string::npos);
  CHECK(refusal_of("rectangle", {{"lower", {0, 2}}, {"upper", {1, 1}}}, 2) ==
        "error: a box goes from 2 to 1 along its coordinate 2\n  where: upper\n  fix:   give it a "
        "size above 0 along every coordinate");
  CHECK(
      refusal_of("rectangle", {{"center", {0, 0}}, {"size", {1, 2}}, {"rounding", {0.6}}}, 2) ==
      "error: 'rounding' is 0.6, and half the least side is 0.5\n  where: rounding\n  fix:   give "
      "a radius that fits into the box, or none");
  CHECK(refusal_of("interval", {{"range", {1, 1}}}, 1).find("where: range") != std::string::npos);
  CHECK(refusal_of("annulus", {{"center", {0, 0}}, {"inner", {1}}, {"outer", {1}}}, 2)
            .find("where: outer") != std::string::npos);
  CHECK(refusal_of("sector", {{"center", {0, 0}}, {"radius", {1}}, {"angles", {1, 1}}}, 2)
            .find("where: angles") != std::string::npos);
  CHECK(refusal_of("sector", {{"center", {0, 0}}, {"radius", {1}}, {"angles", {0, 7}}}, 2)
            .find("a full turn is a disk") != std::string::npos);
  CHECK(refusal_of("triangle", {{"corners", {0, 0, 1, 1, 2, 2}}}, 2).find("on one line") !=
        std::string::npos);
  CHECK(
      refusal_of("tetrahedron", {{"corners", {0, 0, 0, 1, 0, 0, 0, 1, 0}}}, 3) ==
      "error: 'corners' of a shape 'tetrahedron' has 9 numbers\n  where: corners\n  fix:   give 4 "
      "corners of 3 numbers");
  CHECK(refusal_of("capsule", {{"from", {0, 0}}, {"to", {0, 0}}, {"radius", {1}}}, 2)
            .find("where: to") != std::string::npos);
  CHECK(refusal_of("cone", {{"from", {0, 0, 0}}, {"to", {0, 0, 1}}, {"radii", {0, 0}}}, 3)
            .find("one of which may be 0") != std::string::npos);
  CHECK(refusal_of("torus", {{"center", {0, 0, 0}}, {"axis", {0, 0, 1}}, {"radii", {1, 1}}}, 3)
            .find("it meets itself") != std::string::npos);
  CHECK(refusal_of("torus", {{"center", {0, 0, 0}}, {"axis", {0, 0, 0}}, {"radii", {1, 0.5}}}, 3)
            .find("where: axis") != std::string::npos);
  CHECK(refusal_of("prism", {{"polygon", {0, 0, 1, 0, 0, 1}}, {"heights", {1, 0}}}, 3)
            .find("where: heights") != std::string::npos);
  CHECK(refusal_of("prism", {{"polygon", {0, 0, 1, 1, 1, 0, 0, 1}}, {"heights", {0, 1}}}, 3)
            .find("where: polygon") != std::string::npos);
  CHECK(refusal_of("revolution", {{"polygon", {-1, 0, 1, 0, 1, 1}}}, 3) ==
        "error: corner 1 of what turns about an axis lies -1 from it\n  where: polygon\n  fix:   "
        "give "
        "the distance from the axis, 0 or more, and the height of each corner");
  CHECK(refusal_of("revolution", {{"polygon", {0, 0, 1, 0, 1, 1}}, {"angle", {7}}}, 3)
            .find("where: angle") != std::string::npos);
  CHECK(refusal_of("ellipse", {{"center", {0, 0}}, {"radii", {1, 0}}}, 2).find("where: radii") !=
        std::string::npos);
  CHECK(refusal_of("ellipse", {{"center", {0, 0}}, {"radii", {1, 1e-9}}}, 2).find("flatter") !=
        std::string::npos);
  CHECK(refusal_of("halfspace", {{"point", {0, 0}}, {"normal", {0, 0}}}, 2).find("where: normal") !=
        std::string::npos);
  CHECK(refusal_of("disk", {{"center", {0, 0}}, {"radius", {1e-99}}}, 2).find("has the measure") ==
        std::string::npos);
  CHECK(
      refusal_of("ball", {{"center", std::vector<double>(5)}, {"radius", {1e-99}}}, 5) ==
      "error: a shape 'ball' has the measure 0\n  where: ball\n  fix:   choose units in which its "
      "sizes are nearer to 1");
}
