// Drawings as pixels.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>

#include "solvers/report/chart.h"
#include "solvers/report/heat_map.h"
#include "solvers/report/style.h"
#include "tests/solvers/report/canvas.h"

using namespace pinn;
using namespace pinn::pages;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Color that a style gives a class: "#0072b2" or "#555".
Rgb color_in(const std::string& style, const std::string& name) {
  std::smatch found;
  const std::regex rule("\\." + name + "\\{[^}]*?(?:stroke|fill):#([0-9a-f]+)");
  REQUIRE(std::regex_search(style, found, rule));
  std::string digits = found[1];
  if (digits.size() == 3)
    digits = {digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]};
  const unsigned code = unsigned(std::stoul(digits, nullptr, 16));
  return {std::uint8_t(code >> 16), std::uint8_t(code >> 8), std::uint8_t(code)};
}

/// Gray is what axes and texts are.
bool is_colorful(const Rgb& c) {
  const auto [least, most] = std::minmax({c.red, c.green, c.blue});
  return most - least > 30;
}

Frame plot_of(const Drawing& drawing) {
  for (const AnyMark& mark : drawing.marks())
    if (const auto* box = std::get_if<marks::Box>(&mark)) return box->frame;
  FAIL("a drawing without a frame");
  return {};
}

}  // namespace

TEST_CASE("a line has the color of the page's style where it runs, and white is beside it") {
  for (const std::string look : {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "ink", "faint"}) {
    INFO(look);
    Drawing d(100, 60);
    d.path(look, {{10, 20}, {90, 40}});
    d.path(look, {{10.3, 5.2}, {90, 5.2}});
    d.dots(look, {{50, 52}});
    const Canvas canvas = read_png(d.png());
    CHECK(canvas.width == 200);
    CHECK(canvas.height == 120);
    const Rgb color = color_in(light_style(), look);
    CHECK((pixel(canvas, {50, 30}) == color));
    CHECK((pixel(canvas, {50, 5.2}) == color));
    CHECK((pixel(canvas, {50, 52}) == color));
    for (const Point& beside : {Point{50, 26}, Point{50, 34}, Point{50, 8}, Point{50, 48}})
      CHECK((pixel(canvas, beside) == white));
  }
}

TEST_CASE("lines along an axis are sharp at every place and scale") {
  for (const double scale : {1.0, 1.5, 2.0, 3.0})
    for (const double y : {10.0, 10.25, 10.4, 10.75}) {
      Drawing d(40, 40);
      d.path("ink", {{2, y}, {38, y}});
      d.frame("ink", {4.3, 20.2, 30.1, 11.7});
      const Rgb ink = color_in(light_style(), "ink");
      const Canvas canvas = read_png(d.png(scale));
      CHECK(std::ranges::count(canvas.colors, ink) > 30);
      for (std::size_t row = 0; row < canvas.height; ++row) {
        const Rgb color = canvas.colors[row * canvas.width + canvas.width / 2];
        CHECK((color == ink || color == white));
      }
    }
}

TEST_CASE("a value that is not known is a gap in its line") {
  Drawing d(100, 20);
  d.path("c0", {{5, 10}, {30, 10}, {NAN, 10}, {70, 10}, {95, 10}, {INFINITY, 10}});
  const Canvas canvas = read_png(d.png());
  const Rgb color = color_in(light_style(), "c0");
  CHECK((pixel(canvas, {20, 10}) == color));
  CHECK((pixel(canvas, {80, 10}) == color));
  for (const double x : {35.0, 50.0, 65.0, 98.0}) CHECK((pixel(canvas, {x, 10}) == white));
}

TEST_CASE("dashes of a page's style are those of its files") {
  std::ifstream file(std::string(PINN_SOURCE_DIR) + "/solvers/report/page/page.css");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  CHECK_THAT(page, Contains(".dashed{stroke-dasharray:5 3}"));
  CHECK_THAT(light_style(), Contains(".mark{fill:none;stroke:#999;stroke-dasharray:4 3;"));
  Drawing d(100, 20);
  d.path("c0 dashed", {{0, 5}, {100, 5}});
  d.path("mark", {{0, 15}, {100, 15}});
  const Canvas canvas = read_png(d.png());
  for (double x = 0.25; x < 100; x += 0.5) {
    INFO(x);
    CHECK((pixel(canvas, {x, 5}) == white) == (std::fmod(x, 8) > 5));
    CHECK((pixel(canvas, {x, 15}) == white) == (std::fmod(x, 7) > 4));
  }
}

TEST_CASE("nothing of a chart's curves lies outside of its frame") {
  Curve wild{"wild", {}, {}, {}};
  for (int k = 0; k < 300; ++k) {
    wild.x.push_back(k);
    wild.values.push_back(k % 50 == 0 ? INFINITY : k % 31 == 0 ? -1 : std::exp(30 * std::sin(k)));
  }
  for (const bool logarithmic : {false, true}) {
    const Drawing d = draw(Chart{.title = "wild", .curves = {wild}, .logarithmic = logarithmic});
    const Frame plot = plot_of(d);
    const Canvas canvas = read_png(d.png());
    std::size_t inside = 0, outside = 0;
    for (std::size_t y = 0; y < canvas.height; ++y)
      for (std::size_t x = 0; x < canvas.width; ++x) {
        if (!is_colorful(canvas.colors[y * canvas.width + x])) continue;
        const double at_x = (double(x) + 0.5) / 2, at_y = (double(y) + 0.5) / 2;
        const bool within = at_x > plot.x - 1 && at_x < plot.right() + 1 && at_y > plot.y - 1 &&
                            at_y < plot.bottom() + 1;
        ++(within ? inside : outside);
      }
    CHECK(inside > 1000);
    CHECK(outside == 0);
  }
}

TEST_CASE("every pixel of a map has the color of its value, and white is where there is none") {
  HeatMap map{
      .title = "u", .x_name = "x", .y_name = "y", .third = "", .x = {}, .y = {}, .values = {{}}};
  map.look = HeatMap::Look::difference;
  for (int k = 0; k < 41; ++k) map.x.push_back(-1 + 0.05 * k);
  for (int k = 0; k < 21; ++k) map.y.push_back(0.1 * k);
  for (const double y : map.y)
    for (const double x : map.x) map.values[0].push_back(x > 0.7 && y < 0.5 ? NAN : 3 * x - y);
  const Drawing d = draw(map, 0);
  const Frame plot = plot_of(d);
  const Canvas canvas = read_png(d.png());
  const std::vector<double> centers_x = pixel_centers(map.x), centers_y = pixel_centers(map.y);
  for (std::size_t r = 1; r + 1 < centers_y.size(); r += 3)
    for (std::size_t c = 1; c + 1 < centers_x.size(); c += 3) {
      const double x = centers_x[c], y = centers_y[r];
      if (x > 0.6 && x < 0.8 && y < 0.6) continue;  // the edge of what is there
      if (y > 0.4 && y < 0.6 && x > 0.6) continue;
      INFO(x << " " << y);
      const Rgb color =
          pixel(canvas, {plot.x + plot.width * (x + 1) / 2, plot.bottom() - plot.height * y / 2});
      if (x > 0.7 && y < 0.5)
        CHECK((color == white));
      else
        CHECK((color == diverging_colors()[std::size_t(color_index(3 * x - y, -5, 5))]));
    }
}

TEST_CASE("the pixels of a map are not mixed") {
  HeatMap map{.title = "u",
              .x_name = "x",
              .y_name = "y",
              .third = "",
              .x = {0, 1},
              .y = {0, 1},
              .values = {{-1, 1, 1, -1}}};
  map.look = HeatMap::Look::difference;
  const Drawing d = draw(map, 0);
  const Frame plot = plot_of(d);
  const Canvas canvas = read_png(d.png());
  const ColorMap& colors = diverging_colors();
  for (double y = plot.y + 2; y < plot.bottom() - 2; y += 0.5)
    for (double x = plot.x + 2; x < plot.right() - 2; x += 7)
      REQUIRE(std::ranges::count(colors, pixel(canvas, {x, y})) > 0);
}

TEST_CASE("whatever is in a drawing, its file can be read") {
  const std::string hostile =
      "</svg>\"'&%s\\0 \xff\xc3\x80\xf0\x9f\x98\x80\t\n" + std::string(3, '\0');
  Drawing d(120, 40);
  d.begin("hidden");
  d.text({5, 20}, Anchor::start, hostile);
  d.text({-1e9, NAN}, Anchor::end, std::string(100000, 'W'));
  d.text_upward({1e300, -1e300}, hostile);
  d.path("c0", {{-1e300, 5}, {1e300, 5}});
  d.path("c1", {{-1e300, -1e300}, {1e300, 1e300}, {INFINITY, NAN}});
  d.path("c2", {});
  d.path("c3", {{3, 3}});
  d.dots("c4", {{1e300, 0}, {NAN, NAN}});
  d.frame("ink", {-50, -50, 1e300, 1e300});
  d.image({-1e300, -1e300, 2e300, 2e300}, {1, 1, {0}}, sequential_colors());
  d.end();
  const Canvas canvas = read_png(d.png());
  CHECK(canvas.width == 240);
  CHECK(canvas.height == 80);
  CHECK_THROWS_WITH(([] {
                      Drawing unknown(10, 10);
                      unknown.path("c8", {});
                      unknown.png();
                    }()),
                    Contains("no mark looks like 'c8'"));
}
