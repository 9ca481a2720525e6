// Marks of a chart, the names beside them, and how far numbers stand from the edge.
#include <algorithm>
#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/chart.h"
#include "solvers/report/heat_map.h"
#include "tests/catch.h"

using namespace pinn::pages;
using Catch::Matchers::Contains;

namespace {

constexpr Frame plot{58, 12, 472, 238};

/// Marks at these places of an axis from 0 to `steps`, and where their names are.
std::vector<std::optional<NamePlace>> places(const std::vector<Mark>& marks, double steps) {
  std::vector<double> lines;
  for (const Mark& mark : marks) lines.push_back(plot.x + plot.width * mark.x / steps);
  return places_of_names(marks, lines, plot);
}

struct Covered {
  double from, to, row;
};
Covered covered(const NamePlace& place, const std::string& name) {
  const double from = place.at.x - (place.anchor == Anchor::end ? about_wide(name) : 0);
  return {from, from + about_wide(name), place.at.y};
}

/// The texts of a drawing that begin left of it, or end right of it.
std::vector<std::string> cut_off(const Drawing& drawing) {
  std::vector<std::string> cut;
  for (const AnyMark& mark : drawing.marks()) {
    const auto* text = std::get_if<marks::Text>(&mark);
    if (!text || text->upward) continue;
    const double share = text->anchor == Anchor::start ? 0 : text->anchor == Anchor::end ? 1 : 0.5;
    const double from = text->at.x - share * about_wide(text->words);
    if (from < 0 || from + about_wide(text->words) > drawing.width()) cut.push_back(text->words);
  }
  return cut;
}

std::string svg_of(const Curve& curve) {
  return draw({.title = "u", .curves = {curve}, .logarithmic = false}).svg("u");
}

}  // namespace

TEST_CASE("names of marks meet no other, stand within the plot, and the first has a place") {
  for (const double apart : {1.0, 20.0, 60.0, 200.0})
    for (const std::size_t letters : {3, 12, 40}) {
      std::vector<Mark> all;
      for (int k = 0; k < 9; ++k)
        all.push_back({.x = 5 + apart * k, .text = std::string(letters, 'm'), .is_redraw = k > 5});
      const auto names = places(all, 5 + 9 * apart);
      REQUIRE(names[0]);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!names[i]) continue;
        const Covered a = covered(*names[i], all[i].text);
        CHECK(a.from >= plot.x);
        CHECK(a.to <= plot.right());
        for (std::size_t k = 0; k < i; ++k) {
          if (!names[k]) continue;
          const Covered b = covered(*names[k], all[k].text);
          CHECK((a.row != b.row || a.to < b.from || b.to < a.from));
        }
      }
    }
}

TEST_CASE("three short stages, and one at the end, have their names; what has no room has none") {
  const auto names = places({{.x = 50, .text = "stage second"},
                             {.x = 100, .text = "stage third"},
                             {.x = 110, .text = "stage fourth"},
                             {.x = 120, .text = "stage fifth"},
                             {.x = 2140, .text = "stage last"},
                             {.x = 1000, .text = std::string(80, 'm')}},
                            2150);
  for (const std::size_t k : {0, 1, 2, 4}) CHECK(names[k]);
  CHECK_FALSE(names[3]);
  CHECK_FALSE(names[5]);
}

TEST_CASE("numbers of an axis are not cut off, whatever they are") {
  for (const double value : {0.0, 1.0, 4.6e30, -4.6e-30, 123456.0})
    for (const double width : {1e-9, 1e-4, 1.0, 1e5}) {
      const double step = width * std::max(std::fabs(value), 1e-30);
      Chart chart{.title = "u", .curves = {{"u", {}, {}, {}}}, .logarithmic = false};
      HeatMap map{.title = "u",
                  .x_name = "x",
                  .y_name = "y",
                  .third = "",
                  .x = {},
                  .y = {},
                  .values = {{}}};
      for (int k = 0; k < 5; ++k) {
        chart.curves[0].x.push_back(k);
        chart.curves[0].values.push_back(value + k * step);
        map.x.push_back(k);
        map.y.push_back(value + k * step);
      }
      for (int k = 0; k < 25; ++k) map.values[0].push_back(value + k * step);
      INFO(value << " " << width);
      CHECK(cut_off(draw(chart)) == std::vector<std::string>());
      CHECK(cut_off(draw(map, 0)) == std::vector<std::string>());
    }
}

TEST_CASE("names of curves that are wider than a chart are cut, and letters are whole") {
  for (const char* letter : {"m", "ä", "∂"}) {
    std::string name;
    for (int k = 0; k < 200; ++k) name += letter;
    const Drawing drawing = draw({.title = "u", .curves = {{name, {0, 1}, {}, {1, 2}}}});
    CHECK(cut_off(drawing) == std::vector<std::string>());
    CHECK_THAT(drawing.svg("u"), Contains(std::string(letter) + "…</text>"));
  }
}

TEST_CASE("one record is a dot, several are a line, and neither is of no number") {
  CHECK_THAT(svg_of({"u", {100}, {}, {0.5}}),
             Contains("<path class=\"dots c0\" d=\"M") && !Contains("nan"));
  CHECK_THAT(svg_of({"u", {100, 200}, {}, {0.5, 0.25}}),
             Contains("<path class=\"line c0\"") && !Contains("dots"));
}
