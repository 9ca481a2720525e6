#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pinn::pages {

/// A color as screens have it, in sRGB.
struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};
using ColorMap = std::array<Rgb, 255>;

/// From dark blue over green to pale yellow: equal steps of a value are equal steps of lightness,
/// so that a picture in gray, or seen without one kind of cones, says the same.
///
///   source  Ottosson (2020), A perceptual color space for image processing (Oklab)
const ColorMap& sequential_colors();

/// From blue over a light gray to orange, as dark at both ends: for what has a sign. The middle
/// entry is zero.
const ColorMap& diverging_colors();

/// Lightness of a color in Oklab, from 0 to 1.
double lightness(const Rgb& color);

/// "#1f77b4"
std::string hex(const Rgb& color);

/// Index of a value among the colors of a range, from 0 to 254; below and above it the ends.
int color_index(double value, double lower, double upper);

/// How a kind of marks looks where it is light.
struct Look {
  enum class Of { line, text, curve };

  std::string_view name;
  Of of;
  Rgb color;
  double width = 0;  ///< in pixels; 0: as all of its marks
  double opacity = 1;
  std::array<double, 2> dashes = {};  ///< long, and apart, in pixels; 0: none
};

inline constexpr double line_width = 1.5, dot_width = 3, box_width = 1, font_size = 12;
inline constexpr std::array<double, 2> dashes_of_curves{5, 3};  ///< where it is `dashed`, too

/// Look of a name such as "c3" or "c3 dashed".
///
///   errors   InternalError when there is none
Look look_of(std::string_view name);

/// The colors and sizes of all kinds of marks as a page has them, light, and what changes where it
/// is dark.
std::string light_style();
std::string dark_style();

}  // namespace pinn::pages
