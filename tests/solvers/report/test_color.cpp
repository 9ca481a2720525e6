// Colors that do not lie: equal steps of lightness, for every kind of eye.
#include <array>
#include <cmath>

#include "solvers/report/style.h"
#include "tests/catch.h"

using namespace pinn::pages;

namespace {

/// Colors as those without one kind of cones see them, in linear light (Machado, Oliveira and
/// Fernandes 2009, severity 1).
using Cones = std::array<std::array<double, 3>, 3>;
constexpr Cones protanopia{{{0.152286, 1.052583, -0.204868},
                            {0.114503, 0.786281, 0.099216},
                            {-0.003882, -0.048116, 1.051998}}};
constexpr Cones deuteranopia{{{0.367322, 0.860646, -0.227968},
                              {0.280085, 0.672501, 0.047413},
                              {-0.011820, 0.042940, 0.968881}}};
constexpr Cones tritanopia{{{1.255528, -0.076749, -0.178779},
                            {-0.078411, 0.930809, 0.147602},
                            {0.004733, 0.691367, 0.303900}}};

double decoded(std::uint8_t c) {
  const double v = c / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
std::uint8_t encoded(double v) {
  v = std::min(1.0, std::max(0.0, v));
  return std::uint8_t(
      std::lround(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055)));
}

Rgb seen(const Rgb& color, const Cones& cones) {
  const double in[] = {decoded(color.red), decoded(color.green), decoded(color.blue)};
  std::uint8_t out[3];
  for (std::size_t k = 0; k < 3; ++k)
    out[k] = encoded(cones[k][0] * in[0] + cones[k][1] * in[1] + cones[k][2] * in[2]);
  return {out[0], out[1], out[2]};
}

}  // namespace

TEST_CASE("equal steps of a value are equal steps of lightness") {
  const ColorMap& map = sequential_colors();
  const double first = lightness(map[0]), last = lightness(map[254]);
  CHECK(last - first > 0.7);
  for (std::size_t i = 0; i < map.size(); ++i) {
    INFO(i);
    CHECK(std::fabs(lightness(map[i]) - std::lerp(first, last, double(i) / 254)) < 0.006);
  }
}

TEST_CASE("larger values are lighter to every kind of eye") {
  const ColorMap& map = sequential_colors();
  for (const Cones* cones : {&protanopia, &deuteranopia, &tritanopia})
    for (std::size_t i = 8; i < map.size(); ++i) {
      INFO(i);
      CHECK(lightness(seen(map[i], *cones)) > lightness(seen(map[i - 8], *cones)));
    }
}

TEST_CASE("colors of what has a sign are as light on both sides of zero") {
  const ColorMap& map = diverging_colors();
  for (std::size_t i = 0; i < 127; ++i) {
    INFO(i);
    CHECK(std::fabs(lightness(map[i]) - lightness(map[254 - i])) < 0.01);
    CHECK(lightness(map[i]) < lightness(map[i + 1]));
  }
  CHECK(map[127].red == map[127].green);  // zero has no hue
  CHECK(map[127].green == map[127].blue);
  for (const Cones* cones : {&protanopia, &deuteranopia}) {  // blue stays blue, orange orange
    const Rgb below = seen(map[20], *cones), above = seen(map[234], *cones);
    CHECK(below.blue > below.red + 40);
    CHECK(above.red > above.blue + 40);
  }
}

TEST_CASE("a value stands among the colors by its share of the range") {
  CHECK(color_index(-1, -1, 1) == 0);
  CHECK(color_index(0, -1, 1) == 127);
  CHECK(color_index(1, -1, 1) == 254);
  CHECK(color_index(-9, -1, 1) == 0);
  CHECK(color_index(9, -1, 1) == 254);
  CHECK(color_index(3, 3, 3) == 127);
  CHECK(hex({0, 171, 255}) == "#00abff");
}
