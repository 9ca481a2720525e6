#include "solvers/report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pinn::pages {
namespace {

/// A color by how light it is, how far from gray, and in which direction.
struct Oklch {
  double lightness, chroma, hue;  ///< hue in turns
};

double encoded(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}
double decoded(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

/// Linear red, green and blue; outside of [0, 1] where no screen has the color.
std::array<double, 3> linear(const Oklch& c) {
  const double a = c.chroma * std::cos(2 * std::numbers::pi * c.hue);
  const double b = c.chroma * std::sin(2 * std::numbers::pi * c.hue);
  const double l = std::pow(c.lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(c.lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(c.lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool shown(const std::array<double, 3>& rgb) {
  return std::ranges::all_of(rgb, [](double c) { return c >= 0 && c <= 1; });
}

/// The color, or of the same lightness and hue the nearest to it that a screen has.
Rgb screen(Oklch c) {
  while (c.chroma > 0 && !shown(linear(c))) c.chroma = std::max(0.0, c.chroma - 0.002);
  const auto rgb = linear(c);
  const auto byte = [&](int k) {
    return std::uint8_t(std::lround(255 * std::clamp(encoded(rgb[std::size_t(k)]), 0.0, 1.0)));
  };
  return {byte(0), byte(1), byte(2)};
}

template <class Color> ColorMap map_of(Color color) {
  ColorMap map;
  for (std::size_t i = 0; i < map.size(); ++i)
    map[i] = screen(color(double(i) / double(map.size() - 1)));
  return map;
}

}  // namespace

const ColorMap& sequential_colors() {
  static const ColorMap map = map_of([](double s) {
    return Oklch{std::lerp(0.22, 0.96, s), 0.13 * std::sin(std::numbers::pi * (0.12 + 0.74 * s)),
                 std::lerp(0.79, 0.28, s)};
  });
  return map;
}

const ColorMap& diverging_colors() {
  static const ColorMap map = map_of([](double s) {
    const double side = 2 * s - 1, far = std::fabs(side);
    return Oklch{std::lerp(0.96, 0.42, far), 0.15 * std::sqrt(far) * (side == 0 ? 0 : 1),
                 side < 0 ? 0.71 : 0.13};
  });
  return map;
}

double lightness(const Rgb& color) {
  const double r = decoded(color.red), g = decoded(color.green), b = decoded(color.blue);
  return 0.2104542553 * std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) +
         0.7936177850 * std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) -
         0.0040720468 * std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
}

std::string hex(const Rgb& c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

int color_index(double value, double lower, double upper) {
  const double share = upper > lower ? (value - lower) / (upper - lower) : 0.5;
  return int(std::lround(254 * std::clamp(share, 0.0, 1.0)));
}

}  // namespace pinn::pages
