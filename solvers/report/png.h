#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/report/style.h"

namespace pinn::pages {

/// An image by the numbers of colors, row by row from the top; 255 is nothing.
struct Pixels {
  static constexpr std::uint8_t nothing = 255;
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> colors;
};

/// The bytes of a PNG file.
///
///   errors   InternalError when libpng cannot
std::string png(const Pixels& pixels, const ColorMap& map);

/// An image in colors of its own, row by row from the top.
struct Canvas {
  std::size_t width = 0, height = 0;
  std::vector<Rgb> colors;
};
/// The bytes of a PNG file; `scale`: so many pixels are one of a screen of 96 to the inch.
///
///   errors   InternalError when libpng cannot
std::string png(const Canvas& canvas, double scale);

/// Bytes as text, 6 bits a letter (RFC 4648).
std::string base64(const std::string& bytes);

}  // namespace pinn::pages
