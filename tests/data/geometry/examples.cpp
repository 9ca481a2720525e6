#include <cmath>
#include <numbers>

#include "tests/data/geometry/laws.h"

namespace pinn::test {
namespace {

constexpr double pi = std::numbers::pi;
using Arguments = std::map<std::string, std::vector<double>>;

ShapePtr make(const std::string& kind, int dimension, const Arguments& arguments) {
  return make_shape({kind, arguments}, dimension);
}

std::vector<Example> round_examples() {
  return {
      {"interval", make("interval", 1, {{"range", {-0.5, 2}}}), 2.5, 2,
       [](const double* x) { return std::fabs(x[0] - 0.75) - 1.25; }},
      {"disk", make("disk", 2, {{"center", {0.3, -0.2}}, {"radius", {0.7}}}), pi * 0.49, pi * 1.4,
       [](const double* x) { return std::hypot(x[0] - 0.3, x[1] + 0.2) - 0.7; }},
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

}  // namespace

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const auto& shelf : {round_examples(), box_examples(), corner_examples()})
    all.insert(all.end(), shelf.begin(), shelf.end());
  return all;
}

}  // namespace pinn::test
