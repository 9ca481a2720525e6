#include <cmath>
#include <numbers>

#include "tests/data/geometry/laws.h"

namespace pinn::test {
namespace {

using std::numbers::pi;

std::vector<Example> axial_examples() {
  const std::vector<double> from{0, 0, 0}, to{1, 2, 2};  // 3 apart
  return {
      {"capsule in 2", make("capsule", 2, {{"from", {0, 0}}, {"to", {1, 1}}, {"radius", {0.3}}}),
       0.6 * std::sqrt(2.0) + 0.09 * pi, 2 * std::sqrt(2.0) + 0.6 * pi},
      {"capsule in 3", make("capsule", 3, {{"from", from}, {"to", to}, {"radius", {0.5}}}),
       0.75 * pi + pi / 6, 4 * pi},
      {"cylinder", make("cylinder", 3, {{"from", from}, {"to", to}, {"radius", {0.5}}}), 0.75 * pi,
       3.5 * pi},
      {"cylinder, downward",
       make("cylinder", 3, {{"from", {1, 1, 1}}, {"to", {1, 1, 0}}, {"radius", {1}}}), pi, 4 * pi,
       [](const double* x) {
         const double side = std::hypot(x[0] - 1, x[1] - 1) - 1, end = std::fabs(x[2] - 0.5) - 0.5;
         return side > 0 && end > 0 ? std::hypot(side, end) : std::fmax(side, end);
       }},
      {"blunt cone", make("cone", 3, {{"from", from}, {"to", to}, {"radii", {1, 0.4}}}), 1.56 * pi,
       1.16 * pi + 1.4 * pi * std::sqrt(9.36)},
      {"cone", make("cone", 3, {{"from", {1, 0, 0}}, {"to", {1, 1, 0}}, {"radii", {0.8, 0}}}),
       0.64 * pi / 3, 0.64 * pi + 0.8 * pi * std::sqrt(1.64)},
      {"cone on its tip",
       make("cone", 3, {{"from", {1, 0, 0}}, {"to", {1, 1, 0}}, {"radii", {0, 0.8}}}),
       0.64 * pi / 3, 0.64 * pi + 0.8 * pi * std::sqrt(1.64)},
      {"torus", make("torus", 3, {{"center", {0, 0, 1}}, {"axis", {0, 0, 2}}, {"radii", {1, 0.3}}}),
       0.18 * pi * pi, 1.2 * pi * pi,
       [](const double* x) { return std::hypot(std::hypot(x[0], x[1]) - 1, x[2] - 1) - 0.3; }},
      {"tilted torus",
       make("torus", 3, {{"center", {0, 0, 1}}, {"axis", {0, 1, 1}}, {"radii", {1, 0.7}}}),
       0.98 * pi * pi, 2.8 * pi * pi},
  };
}

std::vector<Example> swept_examples() {
  const std::vector<double> step{0.5, 0, 1.5, 0, 1.5, 0.5, 1, 0.5, 1, 1, 0.5, 1},
      blunt{0, 0, 1, 0, 0.5, 1, 0, 1};
  const double skin = 0.5 + 0.75 * std::sqrt(1.25) + 0.125;
  return {
      {"prism",
       make("prism", 3,
            {{"polygon", {-1, -1, 1, -1, 1, 0, 0, 0, 0, 1, -1, 1}}, {"heights", {0, 0.5}}}),
       1.5, 10},
      {"revolution", make("revolution", 3, {{"polygon", step}}), 1.375 * pi, 7.5 * pi},
      {"revolution on its axis", make("revolution", 3, {{"polygon", blunt}}), 7 * pi / 12,
       2 * pi * skin},
      {"narrow revolution", make("revolution", 3, {{"polygon", blunt}, {"angle", {0.8}}}),
       0.8 * 7 / 24, 0.8 * skin + 1.5},
      {"wide revolution",
       make("revolution", 3, {{"polygon", step}, {"axis", {1, 0, 0}}, {"angle", {5}}}), 5 * 0.6875,
       5 * 3.75 + 1.5},
  };
}

/// 4 E, by the trapezoidal rule, which converges exponentially.
double ellipse_length(double a, double b) {
  double sum = 0;
  for (int k = 0; k < 200; ++k)
    sum += std::hypot(a * std::sin(2 * pi * k / 200), b * std::cos(2 * pi * k / 200));
  return 2 * pi * sum / 200;
}

/// The element of area in (z, angle), by Simpson's rule and the trapezoidal one.
double ellipsoid_area(double a, double b, double c) {
  double sum = 0;
  constexpr int parts = 20'000;
  for (int i = 0; i <= parts; ++i) {
    const double z = 2.0 * i / parts - 1, s = 1 - z * z;
    const double length = ellipse_length(a * std::sqrt(c * c * s + b * b * z * z),
                                         b * std::sqrt(c * c * s + a * a * z * z));
    sum += (i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2) * length * 2 / parts / 3;
  }
  return sum;
}

std::vector<Example> ellipse_examples() {
  return {
      {"ellipse", make("ellipse", 2, {{"center", {1, 0}}, {"radii", {2, 0.5}}}), pi,
       ellipse_length(2, 0.5)},
      {"tall ellipse", make("ellipse", 2, {{"center", {1, 0}}, {"radii", {0.3, 1}}}), 0.3 * pi,
       ellipse_length(0.3, 1)},
      {"round ellipse", make("ellipse", 2, {{"center", {1, 0}}, {"radii", {1, 1}}}), pi, 2 * pi,
       [](const double* x) { return std::hypot(x[0] - 1, x[1]) - 1; }},
      {"ellipsoid", make("ellipsoid", 3, {{"center", {0, 0, 1}}, {"radii", {1, 0.5, 0.7}}}),
       4 * pi / 3 * 0.35, ellipsoid_area(1, 0.5, 0.7)},
      {"flat ellipsoid", make("ellipsoid", 3, {{"center", {0, 0, 1}}, {"radii", {1, 1, 0.25}}}),
       pi / 3, ellipsoid_area(1, 1, 0.25)},
      {"long ellipsoid", make("ellipsoid", 3, {{"center", {0, 0, 1}}, {"radii", {0.3, 0.4, 1}}}),
       4 * pi / 3 * 0.12, ellipsoid_area(0.3, 0.4, 1)},
  };
}

}  // namespace

std::vector<Example> examples_of_space() {
  std::vector<Example> all;
  for (const auto& shelf : {axial_examples(), swept_examples(), ellipse_examples()})
    all.insert(all.end(), shelf.begin(), shelf.end());
  return all;
}

}  // namespace pinn::test
