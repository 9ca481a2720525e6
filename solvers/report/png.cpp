#include "solvers/report/png.h"

#include <png.h>

#include <cmath>
#include <functional>

#include "autograd/core/error.h"

namespace pinn::pages {
namespace {

[[noreturn]] void fail(png_structp, const char* what) {
  throw InternalError({std::string("libpng: ") + what, "", "leave the picture out"});
}
void ignore(png_structp, const char*) {}

void append(png_structp file, png_bytep bytes, png_size_t count) {
  static_cast<std::string*>(png_get_io_ptr(file))
      ->append(reinterpret_cast<const char*>(bytes), count);
}
void flush(png_structp) {}

/// State of libpng while it writes.
struct Writer {
  png_structp file = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, ignore);
  png_infop info = file ? png_create_info_struct(file) : nullptr;
  ~Writer() { png_destroy_write_struct(&file, &info); }
};

/// The bytes of a file; `describe` adds to its first part, `rows` are its pixels.
std::string file_of(std::size_t width, std::size_t height, int colors,
                    const std::function<void(Writer&)>& describe, const void* rows) {
  std::string bytes;
  Writer w;
  if (!w.info) fail(nullptr, "no memory");
  png_set_write_fn(w.file, &bytes, append, flush);
  png_set_IHDR(w.file, w.info, png_uint_32(width), png_uint_32(height), 8, colors,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  describe(w);
  png_set_compression_level(w.file, 9);
  png_write_info(w.file, w.info);
  const std::size_t row_bytes = png_get_rowbytes(w.file, w.info);
  for (std::size_t row = 0; row < height; ++row)
    png_write_row(w.file, static_cast<png_const_bytep>(rows) + row * row_bytes);
  png_write_end(w.file, nullptr);
  return bytes;
}

}  // namespace

std::string png(const Pixels& pixels, const ColorMap& map) {
  const auto describe = [&](Writer& w) {
    std::vector<png_color> palette;
    std::vector<png_byte> opacity(map.size(), 255);
    for (const Rgb& c : map) palette.push_back({c.red, c.green, c.blue});
    palette.push_back({255, 255, 255});
    opacity.push_back(0);
    png_set_PLTE(w.file, w.info, palette.data(), int(palette.size()));
    png_set_tRNS(w.file, w.info, opacity.data(), int(opacity.size()), nullptr);
  };
  return file_of(pixels.width, pixels.height, PNG_COLOR_TYPE_PALETTE, describe,
                 pixels.colors.data());
}

std::string png(const Canvas& canvas, double scale) {
  static_assert(sizeof(Rgb) == 3, "a row is written as it lies in memory");
  const auto describe = [&](Writer& w) {
    constexpr double meter = 96 / 0.0254;  // in pixels of a screen
    const auto per_meter = png_uint_32(std::lround(scale * meter));
    png_set_pHYs(w.file, w.info, per_meter, per_meter, PNG_RESOLUTION_METER);
  };
  return file_of(canvas.width, canvas.height, PNG_COLOR_TYPE_RGB, describe, canvas.colors.data());
}

std::string base64(const std::string& bytes) {
  constexpr const char* letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? letters[bits >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

}  // namespace pinn::pages
