#pragma once
// Drawings as the pixels of their files, read by libpng.
#include <png.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "solvers/report/drawing.h"
#include "tests/catch.h"

namespace pinn::test {

inline pages::Canvas read_png(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0);
  image.format = PNG_FORMAT_RGB;
  pages::Canvas canvas{image.width, image.height, {}};
  canvas.colors.resize(canvas.width * canvas.height);
  REQUIRE(png_image_finish_read(&image, nullptr, canvas.colors.data(), 0, nullptr) != 0);
  return canvas;
}

/// The pixel that holds a point of the drawing.
inline pages::Rgb pixel(const pages::Canvas& canvas, const pages::Point& at, double scale = 2) {
  const auto x = std::size_t(std::floor(scale * at.x)), y = std::size_t(std::floor(scale * at.y));
  REQUIRE(x < canvas.width);
  REQUIRE(y < canvas.height);
  return canvas.colors[y * canvas.width + x];
}

inline constexpr pages::Rgb white{255, 255, 255};

}  // namespace pinn::test
