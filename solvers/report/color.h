#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

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

}  // namespace pinn::pages
