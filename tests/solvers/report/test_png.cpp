// Images as files, held against libpng's own reader.
#include <png.h>

#include <cstring>

#include "solvers/report/png.h"
#include "tests/catch.h"

using namespace pinn::pages;

TEST_CASE("a PNG file holds the colors that were put into it, and nothing where there is none") {
  Pixels pixels{3, 2, {0, 100, 254, Pixels::nothing, 17, 1}};
  const std::string bytes = png(pixels, sequential_colors());
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0);
  CHECK(image.width == 3);
  CHECK(image.height == 2);
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, read.data(), 0, nullptr) != 0);
  for (std::size_t k = 0; k < pixels.colors.size(); ++k) {
    INFO(k);
    const std::uint8_t* p = read.data() + 4 * k;
    if (pixels.colors[k] == Pixels::nothing) {
      CHECK(p[3] == 0);
      continue;
    }
    CHECK(p[3] == 255);
    CHECK((Rgb{p[0], p[1], p[2]} == sequential_colors()[pixels.colors[k]]));
  }
}

TEST_CASE("bytes as text are those of RFC 4648") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64(std::string("\xff\xfe\x00", 3)) == "//4A");
}
