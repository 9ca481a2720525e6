// Texts in pictures of pixels.
#include <algorithm>
#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/chart.h"
#include "solvers/report/heat_map.h"
#include "solvers/report/words.h"
#include "tests/solvers/report/canvas.h"

using namespace pinn;
using namespace pinn::pages;
using namespace pinn::test;

namespace {

std::string letters_of(std::string_view text) {
  std::string all;
  for (const Spelled& part : spelled(text)) all += part.letters;
  return all;
}

/// Texts of a drawing that lie on one another, or beyond its edges.
std::vector<std::string> crowded(const Drawing& d) {
  std::vector<std::string> found;
  std::vector<std::pair<std::string, Frame>> before;
  for (const AnyMark& mark : d.marks()) {
    const auto* text = std::get_if<marks::Text>(&mark);
    if (!text) continue;
    const Frame f = covered(*text);
    if (f.x < 0 || f.y < 0 || f.right() > d.width() || f.bottom() > d.height())
      found.push_back(text->words + " is cut off");
    for (const auto& [words, g] : before)
      if (f.x < g.right() && g.x < f.right() && f.y < g.bottom() && g.y < f.bottom())
        found.push_back(text->words + " is on " + words);
    before.emplace_back(text->words, f);
  }
  return found;
}

}  // namespace

TEST_CASE("signs that no plotter has are spelled by those that it has") {
  CHECK(letters_of("held_out (a+b)*c^2 ~ 1") == "held_out (a+b)*c^2 ~ 1");
  CHECK(letters_of("−1.2·10⁻⁷") == "-1.2.10-7");
  CHECK(letters_of("∂u/∂t in µm, ρ ≤ Δ × 2") == "du/dt in um, rho <= Delta x 2");
  CHECK(letters_of("Größe") == "Gr??e");
  CHECK(letters_of("\xff\xc3 \x80\xf0\x9f\x98\x80\t") == "?? ???");
  CHECK(letters_of("").empty());
  const std::vector<Spelled> power = spelled("0⁻³");
  REQUIRE(power.size() == 3);
  CHECK(power[0].raised == 0);
  CHECK(power[1].raised > 0.3);
  CHECK(power[2].raised > 0.3);
  CHECK(power[2].size < 0.8);
  CHECK(spelled("₂")[0].raised < 0);
}

TEST_CASE("every number of an axis can be spelled") {
  for (const double value : {0.0, -1.0, 1.25e-7, -3e22, 1e-300, double(INFINITY), double(-INFINITY),
                             double(NAN), 12345.0})
    CHECK(letters_of(number_text(value)).find('?') == std::string::npos);
}

TEST_CASE("a text is as wide as it says, and stands on its base line") {
  Drawing d(400, 60);
  const marks::Text text{"label", {200, 30}, Anchor::middle, false, "RELATION 10"};
  d.text(text.at, text.anchor, text.words);
  const Canvas canvas = read_png(d.png());
  double left = 1e9, right = 0, top = 1e9, bottom = 0;
  for (std::size_t y = 0; y < canvas.height; ++y)
    for (std::size_t x = 0; x < canvas.width; ++x)
      if (!(canvas.colors[y * canvas.width + x] == white)) {
        left = std::min(left, double(x) / 2), right = std::max(right, double(x + 1) / 2);
        top = std::min(top, double(y) / 2), bottom = std::max(bottom, double(y + 1) / 2);
      }
  const Frame frame = covered(text);
  CHECK(frame.x + frame.width / 2 == Approx(200));
  CHECK(left == Approx(frame.x).margin(3));
  CHECK(right == Approx(frame.right()).margin(3));
  CHECK(bottom == Approx(30).margin(1.1));
  CHECK(bottom - top == Approx(9.5).margin(1.5));
}

TEST_CASE("the texts of a chart do not lie on one another, and none is cut off") {
  for (const double size : {1e-9, 0.02, 1.0, 3e4, 2e8})
    for (const bool logarithmic : {false, true})
      for (const int curves : {1, 4, 12}) {
        Chart chart{.title = "loss", .curves = {}, .logarithmic = logarithmic};
        for (int c = 0; c < curves; ++c) {
          Curve curve{"boundary condition " + std::to_string(c), {}, {}, {}};
          for (int k = 0; k < 50; ++k)
            curve.x.push_back(400 * k), curve.values.push_back(size * std::exp(-0.1 * k * (1 + c)));
          chart.curves.push_back(curve);
        }
        chart.marks = {{6000, 0, "stage polish"}};
        INFO(size << " " << logarithmic << " " << curves);
        CHECK(crowded(draw(chart)) == std::vector<std::string>());
      }
}

TEST_CASE("the texts of a map do not lie on one another, and none is cut off") {
  for (const double size : {1e-9, 0.02, 1.0, 3e4})
    for (const HeatMap::Look look :
         {HeatMap::Look::value, HeatMap::Look::difference, HeatMap::Look::size})
      for (const double height : {0.1, 1.0, 10.0}) {
        HeatMap map{.title = "u",
                    .x_name = "x in m",
                    .y_name = "y in m",
                    .third = "",
                    .x = {},
                    .y = {},
                    .values = {{}},
                    .look = look,
                    .to_scale = true};
        for (int k = 0; k < 11; ++k) map.x.push_back(-0.5 + 0.1 * k);
        for (int k = 0; k < 11; ++k) map.y.push_back(height * 0.1 * k);
        for (const double y : map.y)
          for (const double x : map.x) map.values[0].push_back(size * (x + y / height));
        INFO(size << " " << int(look) << " " << height);
        CHECK(crowded(draw(map, 0)) == std::vector<std::string>());
      }
}
