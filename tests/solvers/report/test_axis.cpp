// Axes and numbers as people read them.
#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/heat_map.h"
#include "tests/catch.h"

using namespace pinn::pages;

namespace {

std::vector<std::string> texts(const std::vector<Tick>& ticks) {
  std::vector<std::string> all;
  for (const Tick& t : ticks) all.push_back(t.text);
  return all;
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("an axis has a handful of round numbers") {
  CHECK(texts(Scale{0, 1}.ticks(5)) == Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(texts(Scale{-1, 1}.ticks(4)) == Texts{"−1.0", "−0.5", "0.0", "0.5", "1.0"});
  CHECK(texts(Scale{0, 20000}.ticks(4)) == Texts{"0", "5000", "10000", "15000", "20000"});
  CHECK(texts(Scale{1e-9, 1e-2, true}.ticks(4)) == Texts{"10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²"});
  CHECK(texts(Scale{0.15, 0.8, true}.ticks(6)) == Texts{"0.2", "0.5"});
  CHECK(Scale{0.31, 0.34, true}.ticks(6).size() >= 2);
  CHECK(texts(Scale{-2.2e-5, 2.2e-5}.ticks(8)) == Texts{"−2·10⁻⁵", "−1.5·10⁻⁵", "−10⁻⁵", "−5·10⁻⁶",
                                                        "0", "5·10⁻⁶", "10⁻⁵", "1.5·10⁻⁵",
                                                        "2·10⁻⁵"});
}

TEST_CASE("every axis has between two and sixteen numbers, in order and within") {
  for (const double lower : {-1e6, -3.0, 0.0, 1e-7, 0.9999, 4e4})
    for (const double width : {1e-9, 1e-3, 1.0, 7.7, 2e5}) {
      if (width < 1e-12 * std::fabs(lower)) continue;  // less than a double can tell
      const Scale scale{lower, lower + width};
      const std::vector<Tick> ticks = scale.ticks(6);
      INFO(lower << " " << width);
      CHECK(ticks.size() >= 2);
      CHECK(ticks.size() <= 16);
      for (std::size_t k = 0; k < ticks.size(); ++k) {
        CHECK(scale.share(ticks[k].value) > -1e-6);
        CHECK(scale.share(ticks[k].value) < 1 + 1e-6);
        if (k > 0) CHECK(ticks[k].value > ticks[k - 1].value);
        if (k > 0) CHECK(ticks[k].text != ticks[k - 1].text);
      }
    }
}

TEST_CASE("a scale has room for what is finite, and something to show where nothing is") {
  const Scale some = scale_of({1, NAN, 3, INFINITY}, false, 0);
  CHECK(some.lower == 1);
  CHECK(some.upper == 3);
  const Scale powers = scale_of({1e-4, 0, -2, 1e2}, true, 0);
  CHECK(powers.lower == Approx(1e-4));
  CHECK(powers.upper == Approx(1e2));
  CHECK(scale_of({}, false).lower < scale_of({}, false).upper);
  CHECK(scale_of({NAN}, true).lower > 0);
  const Scale constant = scale_of({5, 5}, false);
  CHECK(constant.lower < 5);
  CHECK(constant.upper > 5);
}

TEST_CASE("numbers have as many digits as are read") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(0.25) == "0.25");
  CHECK(number_text(-1.5) == "−1.5");
  CHECK(number_text(1234567, 3) == "1.23·10⁶");
  CHECK(number_text(12345, 3) == "12345");
  CHECK(number_text(5e-5) == "5·10⁻⁵");
  CHECK(number_text(-1e-12) == "−10⁻¹²");
  CHECK(number_text(NAN) == "–");
  CHECK(number_text(INFINITY) == "∞");
}

TEST_CASE("a line of equal value goes where the value is") {
  constexpr std::size_t columns = 41, rows = 31;
  std::vector<double> values;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      values.push_back(std::hypot(double(c) - 20, double(r) - 15));
  const auto lines = isolines(values, columns, 10);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].size() > 60);
  for (const Point& p : lines[0]) CHECK(std::hypot(p.x - 20, p.y - 15) == Approx(10).margin(0.02));
  CHECK(lines[0].front().x == lines[0].back().x);  // closed
  CHECK(lines[0].front().y == lines[0].back().y);
  CHECK(isolines(values, columns, -1).empty());
}

TEST_CASE("a text that is too wide is its beginning, however long it was") {
  CHECK(shortened("short", 100) == "short");
  CHECK(shortened("a long name", 40) == "a lo…");
  CHECK(shortened("äöüäöüäöü", 40) == "äöüä…");
  CHECK(shortened("long", 1) == "…");
  CHECK(shortened(std::string(1 << 26, 'x'), 40) == "xxxx…");  // letter by letter: for weeks
}

TEST_CASE("a line of equal value ends at a hole, and keeps to the sides of a saddle") {
  std::vector<double> values(9, 0);
  values[4] = NAN;
  values[0] = 1;
  CHECK(isolines(values, 3, 0.5).empty());
  const std::vector<double> saddle{1, 0, 0, 1};  // its middle is at the level: above it in neither
  const auto lines = isolines(saddle, 2, 0.6);
  REQUIRE(lines.size() == 2);
  for (const auto& line : lines) CHECK(line.size() == 2);
}
