#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/report/color.h"

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

/// Bytes as text, 6 bits a letter (RFC 4648).
std::string base64(const std::string& bytes);

}  // namespace pinn::pages
