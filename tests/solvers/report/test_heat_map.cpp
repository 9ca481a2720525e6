// Maps and charts say the numbers they are made of.
#include <algorithm>
#include <cmath>
#include <regex>

#include "solvers/report/chart.h"
#include "solvers/report/heat_map.h"
#include "solvers/report/history.h"
#include "solvers/report/words.h"
#include "tests/catch.h"

using namespace pinn::pages;
using Catch::Matchers::Contains;

namespace {

HeatMap tilted_plane() {
  HeatMap map{.title = "u",
              .x_name = "x",
              .y_name = "y",
              .third = "",
              .x = {},
              .y = {},
              .thirds = {},
              .values = {{}}};
  for (int k = 0; k < 9; ++k) map.x.push_back(-1 + 0.25 * k);
  for (int k = 0; k < 5; ++k) map.y.push_back(0.5 * k);
  for (const double y : map.y)
    for (const double x : map.x) map.values[0].push_back(3 * x - y);
  return map;
}

std::string unbase64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | unsigned(letters.find(c));
    if ((count += 6) >= 8) bytes += char(bits >> (count -= 8) & 255u);
  }
  return bytes;
}

/// The values that a page's script would read out of a figure.
std::vector<double> read_out(const std::string& figure, bool logarithmic = false) {
  std::smatch range, values;
  REQUIRE(std::regex_search(figure, range, std::regex(R"re("range":\[([^,]*),([^\]]*)\])re")));
  REQUIRE(std::regex_search(figure, values, std::regex(R"re("values":\["([^"]*)")re")));
  const double lower = std::stod(range[1]), upper = std::stod(range[2]);
  const std::string bytes = unbase64(values[1]);
  std::vector<double> all;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const unsigned whole = std::uint8_t(bytes[i]) | unsigned(std::uint8_t(bytes[i + 1])) << 8;
    const double share = whole / 65534.0;
    all.push_back(whole == 65535 ? NAN
                  : logarithmic  ? lower * std::pow(upper / lower, share)
                                 : std::lerp(lower, upper, share));
  }
  return all;
}

}  // namespace

TEST_CASE("a map reads out the values it was made of") {
  HeatMap map = tilted_plane();
  map.values[0][7] = NAN;
  const std::vector<double> read = read_out(figure(map));
  REQUIRE(read.size() == map.values[0].size());
  for (std::size_t n = 0; n < read.size(); ++n) {
    INFO(n);
    if (std::isnan(map.values[0][n]))
      CHECK(std::isnan(read[n]));
    else
      CHECK(read[n] == Approx(map.values[0][n]).margin(8 / 65534.0));
  }
}

TEST_CASE("sizes of residuals are read out to a thousandth, over four powers of ten") {
  HeatMap map = tilted_plane();
  map.look = HeatMap::Look::size;
  for (double& v : map.values[0]) v = 1e-7 * std::exp(v);
  const std::vector<double> read = read_out(figure(map), true);
  for (std::size_t n = 0; n < read.size(); ++n)
    CHECK(read[n] == Approx(map.values[0][n]).epsilon(1e-3));
}

TEST_CASE("colors of an error are even around zero") {
  HeatMap map = tilted_plane();
  map.look = HeatMap::Look::difference;
  const Scale scale = color_scale(map);
  CHECK(scale.lower == -scale.upper);
  CHECK(scale.upper == 5);
}

TEST_CASE("what a mask leaves out has no pixels") {
  HeatMap map = tilted_plane();
  const std::vector<std::uint8_t> all = pixels_of(map, 0).colors;
  map.mask = std::make_shared<std::vector<std::vector<bool>>>(
      std::vector<std::vector<bool>>{std::vector<bool>(all.size(), true)});
  CHECK(pixels_of(map, 0).colors == all);
  map.mask = std::make_shared<std::vector<std::vector<bool>>>(
      std::vector<std::vector<bool>>{std::vector<bool>(all.size(), false)});
  CHECK(std::ranges::count(pixels_of(map, 0).colors, Pixels::nothing) == int(all.size()));
}

TEST_CASE("names and titles stay text wherever they stand") {
  const std::string hostile = "</script><script>alert(1)</script>\"'&";
  HeatMap map = tilted_plane();
  map.title = map.x_name = hostile;
  Chart chart{
      .title = hostile, .curves = {{hostile, {0, 1}, {}, {1, 2}}}, .marks = {{0.5, 0, hostile}}};
  for (const std::string& html : {figure(map), figure(chart)}) {
    CHECK_THAT(html, !Contains("<script>alert"));
    CHECK_THAT(html, Contains("&lt;script&gt;alert"));
    CHECK_THAT(html, Contains("\\u003cscript"));
  }
  CHECK(Json().add("a\n", std::string("<\"\\\x01")).text() ==
        "{\"a\\u000a\":\"\\u003c\\\"\\\\\\\\x01\"}");
}

TEST_CASE("a chart draws every value at its place, and none where there is none") {
  const Chart chart{.title = "loss", .curves = {{"a", {0, 10, 20}, {}, {1, NAN, 0.01}}}};
  const std::string svg = draw(chart).svg("loss");
  std::smatch d;
  REQUIRE(std::regex_search(
      svg, d, std::regex(R"re(class="line c0" d="M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)")re")));
  const double left = std::stod(d[1]), top = std::stod(d[2]), right = std::stod(d[3]),
               bottom = std::stod(d[4]);
  CHECK(left < right);
  CHECK(top < bottom);
  CHECK(Json().add("x", std::vector<double>{1, NAN}).text() == "{\"x\":[1,null]}");
}

TEST_CASE("a curve of a long history keeps its ends and its order") {
  pinn::LossHistory history{.columns = {"loss"}, .steps = {}, .values = {}, .speed = {}};
  for (int k = 0; k < 5000; ++k) history.steps.push_back(k), history.values.push_back(2 * k);
  const Curve thin = history_curves(history)[0];
  REQUIRE(thin.x.size() == 700);
  CHECK(thin.x.front() == 0);
  CHECK(thin.x.back() == 4999);
  for (std::size_t i = 1; i < thin.x.size(); ++i) {
    CHECK(thin.x[i] > thin.x[i - 1]);
    CHECK(thin.values[i] == 2 * thin.x[i]);
  }
}
