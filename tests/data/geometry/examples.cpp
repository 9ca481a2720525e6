#include <cmath>
#include <numbers>

#include "data/geometry/motion.h"
#include "tests/data/geometry/laws.h"

namespace pinn::test {
namespace {

using std::numbers::pi;

std::vector<Example> round_examples() {
  return {
      {"interval", make("interval", 1, {{"range", {-0.5, 2}}}), 2.5, 2,
       [](const double* x) { return std::fabs(x[0] - 0.75) - 1.25; }},
      {"disk", make("disk", 2, {{"center", {0.3, -0.2}}, {"radius", {0.7}}}), pi * 0.49, pi * 1.4,
       [](const double* x) { return std::hypot(x[0] - 0.3, x[1] + 0.2) - 0.7; }},
      {"ball in 1", make("ball", 1, {{"center", {0.3}}, {"radius", {0.5}}}), 1, 2,
       [](const double* x) { return std::fabs(x[0] - 0.3) - 0.5; }},
      {"ball in 3", make("ball", 3, {{"center", {1, 2, 3}}, {"radius", {0.5}}}), pi / 6, pi,
       [](const double* x) { return std::hypot(x[0] - 1, x[1] - 2, x[2] - 3) - 0.5; }},
      {"ball in 4", make("ball", 4, {{"center", {0, 0, 0, 1}}, {"radius", {1}}}), pi * pi / 2,
       2 * pi * pi},
      {"ball in 5", make("ball", 5, {{"center", {0, 0, 0, 0, 1}}, {"radius", {1}}}),
       8 * pi * pi / 15, 8 * pi * pi / 3},
      {"annulus", make("annulus", 2, {{"center", {0, 1}}, {"inner", {0.4}}, {"outer", {1}}}),
       pi * 0.84, pi * 2.8,
       [](const double* x) { return std::fabs(std::hypot(x[0], x[1] - 1) - 0.7) - 0.3; }},
      {"shell", make("shell", 3, {{"center", {0, 1, 0}}, {"inner", {0.5}}, {"outer", {1}}}),
       4 * pi / 3 * 0.875, 4 * pi * 1.25,
       [](const double* x) { return std::fabs(std::hypot(x[0], x[1] - 1, x[2]) - 0.75) - 0.25; }},
  };
}

std::vector<Example> box_examples() {
  return {
      {"rectangle", make("rectangle", 2, {{"center", {0.5, 1}}, {"size", {1, 2}}}), 2, 6},
      {"cuboid in 1", make("cuboid", 1, {{"lower", {-1}}, {"upper", {2}}}), 3, 2,
       [](const double* x) { return std::fabs(x[0] - 0.5) - 1.5; }},
      {"cuboid in 3", make("cuboid", 3, {{"lower", {0, 0, -1}}, {"upper", {1, 0.5, 1}}}), 1, 7},
      {"cuboid in 4", make("cuboid", 4, {{"lower", {0, 0, 0, 0}}, {"upper", {1, 1, 1, 2}}}), 2, 14},
      {"rounded rectangle",
       make("rectangle", 2, {{"center", {0, 0}}, {"size", {2, 1}}, {"rounding", {0.2}}}),
       2 - 0.04 * (4 - pi), 6 - 0.4 * (4 - pi)},
      {"rounded cuboid",
       make("cuboid", 3, {{"lower", {0, 0, 0}}, {"upper", {1, 1, 2}}, {"rounding", {0.25}}}),
       0.5 * 0.5 * 1.5 + 2 * 0.25 * (0.25 + 2 * 0.75) + pi * 0.0625 * 2.5 + 4 * pi / 3 / 64,
       2 * (0.25 + 2 * 0.75) + pi / 2 * 0.25 * 4 * 2.5 + 4 * pi / 16},
  };
}

std::vector<Example> corner_examples() {
  return {
      {"L", make("polygon", 2, {{"corners", {-1, -1, 1, -1, 1, 0, 0, 0, 0, 1, -1, 1}}}), 3, 8},
      {"arrow, clockwise", make("polygon", 2, {{"corners", {0, 0, 1, 2, 2, 0, 1, 0.5, 0, 0}}}), 1.5,
       2 * std::sqrt(5.0) + 2 * std::sqrt(1.25)},
      {"comb", make("polygon", 2, {{"corners", {0, 0, 5, 0, 5, 2, 4, 2, 4, 1, 3, 1,
                                                3, 2, 2, 2, 2, 1, 1, 1, 1, 2, 0, 2}}}),
       8, 18},
  };
}

std::vector<Example> sector_examples() {
  const auto sector = [](double from, double to) {
    return make("sector", 2, {{"center", {0.2, 0.1}}, {"radius", {1}}, {"angles", {from, to}}});
  };
  return {
      {"narrow sector", sector(0.3, 1.3), 0.5, 3},
      {"half disk", sector(-pi, 0), pi / 2, 2 + pi},
      {"obtuse sector", sector(0.5, 3), 1.25, 4.5},
      {"wide sector", sector(-1, 3.5), 2.25, 6.5},
  };
}

std::vector<Example> simplex_examples() {
  return {
      {"triangle", make("triangle", 2, {{"corners", {0, 0, 2, 0, 0.5, 1}}}), 1,
       2 + std::hypot(1.5, 1) + std::hypot(0.5, 1)},
      {"obtuse triangle, clockwise", make("triangle", 2, {{"corners", {0, 0, -1, 0.5, 2, 0}}}), 0.5,
       2 + std::hypot(1, 0.5) + std::hypot(3, 0.5)},
      {"simplex in 2", make("simplex", 2, {{"corners", {0, 0, 2, 0, 0.5, 1}}}), 1,
       2 + std::hypot(1.5, 1) + std::hypot(0.5, 1)},
      {"tetrahedron", make("tetrahedron", 3, {{"corners", {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1.5}}}),
       0.5, 1 + 0.75 + 1.5 + std::sqrt(15.25) / 2},
      {"simplex in 4", make("simplex", 4, {{"corners", {0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                                        0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}}),
       1.0 / 24, 1},
  };
}

std::vector<Example> moved_examples() {
  const ShapePtr ell = corner_examples()[0].shape, wide = sector_examples()[3].shape,
                 tetrahedron = simplex_examples()[3].shape;
  const auto motion = [](const std::vector<MotionNumbers>& terms, int dimension) {
    return motion_of(terms, dimension);
  };
  return {
      {"turned L",
       moved(ell, motion({{"rotate", {{"angle", {0.7}}, {"about", {1, 1}}}},
                          {"scale", {{"factor", {2}}}},
                          {"move", {{"by", {1, 0}}}}},
                         2)),
       12, 16},
      {"mirrored sector", moved(wide, motion({{"mirror", {{"coordinate", {1}}}}}, 2)), 2.25, 6.5},
      {"turned tetrahedron",
       moved(tetrahedron, motion({{"rotate", {{"angle", {2}}, {"axis", {1, 2, -1}}}},
                                  {"mirror", {{"coordinate", {0}}, {"about", {1, 0, 0}}}},
                                  {"scale", {{"factor", {0.5}}, {"about", {0, 1, 0}}}}},
                                 3)),
       0.5 / 8, (3.25 + std::sqrt(15.25) / 2) / 4},
  };
}

}  // namespace

const std::vector<Example>& examples() {
  static const std::vector<Example> made = [] {
    std::vector<Example> all;
    for (const auto& shelf :
         {round_examples(), box_examples(), corner_examples(), sector_examples(),
          simplex_examples(), examples_of_space(), moved_examples()})
      all.insert(all.end(), shelf.begin(), shelf.end());
    return all;
  }();
  return made;
}

}  // namespace pinn::test
