#include "data/sampling/points.h"

#include <cmath>
#include <map>
#include <numeric>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

const std::uint64_t here = stream("walls", "points");

/// The four faces of (0, 1) x (0, 3) with a time in (0, 2).
std::shared_ptr<const Region> walls() {
  return make_union({make_box({{0, 0}, {0, 3}, {0, 2}}, {-1, 0, 0}),
                     make_box({{1, 1}, {0, 3}, {0, 2}}, {1, 0, 0}),
                     make_box({{0, 1}, {0, 0}, {0, 2}}, {0, -1, 0}),
                     make_box({{0, 1}, {3, 3}, {0, 2}}, {0, 1, 0})});
}

std::string message(const Region& region, const SamplingOptions& options) {
  try {
    draw_points(region, options, 0, here, 0);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("points of the interior lie strictly inside, in boxes of 1 to 6 coordinates",
          "[data][sampling]") {
  for (const std::string& method : sampling_methods())
    for (int d = 1; d <= 6; ++d) {
      std::vector<Interval> intervals;
      for (int k = 0; k < d; ++k) intervals.push_back({1.0 + k, 1.5 + 2 * k});
      const auto box = make_box(intervals);
      const Points p = draw_points(*box, {.count = 500, .method = method, .redraw = 0}, 1, here, 0);

      INFO(method << " in " << d << " dimensions");
      CHECK(p.coordinates == d);
      CHECK((p.count == 500 || method == "grid"));
      CHECK(p.count > 0);
      REQUIRE(p.x.size() == p.count * d);
      CHECK(p.normals.empty());
      CHECK(p.measure == box->measure());
      for (std::size_t i = 0; i < p.x.size(); ++i) {
        CHECK(p.x[i] > intervals[i % d].lower);
        CHECK(p.x[i] < intervals[i % d].upper);
      }
    }
}

TEST_CASE("points of faces lie exactly on them and carry their normals", "[data][sampling]") {
  for (const std::string& method : sampling_methods()) {
    const Points p =
        draw_points(*walls(), {.count = 160, .method = method, .redraw = 0}, 2, here, 0);
    INFO(method);
    REQUIRE(p.x.size() == 3 * p.count);
    REQUIRE(p.normals.size() == 3 * p.count);
    for (std::size_t i = 0; i < p.count; ++i) {
      const double x = p.x[3 * i], y = p.x[3 * i + 1];
      const double nx = p.normals[3 * i], ny = p.normals[3 * i + 1];
      CHECK(std::fabs(nx) + std::fabs(ny) == 1);
      CHECK(p.normals[3 * i + 2] == 0);
      if (nx == -1) CHECK(x == 0);
      if (nx == 1) CHECK(x == 1);
      if (ny == -1) CHECK(y == 0);
      if (ny == 1) CHECK(y == 3);
    }
  }
}

TEST_CASE("the points of a union are split by measure, part after part", "[data][sampling]") {
  const Points p =
      draw_points(*walls(), {.count = 160, .method = "sobol", .redraw = 0}, 3, here, 0);
  REQUIRE(p.count == 160);
  CHECK(p.measure == 16);
  // areas 6, 6, 2, 2 of 16
  for (int i = 0; i < 60; ++i) CHECK(p.x[3 * i] == 0);
  for (int i = 60; i < 120; ++i) CHECK(p.x[3 * i] == 1);
  for (int i = 120; i < 140; ++i) CHECK(p.x[3 * i + 1] == 0);
  for (int i = 140; i < 160; ++i) CHECK(p.x[3 * i + 1] == 3);
}

TEST_CASE("parts of a union are drawn independently", "[data][sampling]") {
  const Points p =
      draw_points(*walls(), {.count = 160, .method = "sobol", .redraw = 0}, 3, here, 0);
  for (int i = 0; i < 60; ++i) CHECK(p.x[3 * i + 1] != p.x[3 * (i + 60) + 1]);
}

TEST_CASE("a count is split by largest remainders, at least one each", "[data][sampling]") {
  CHECK(split_by_measure(10, {1, 1, 2}) == std::vector<int>{3, 2, 5});  // 2.5, 2.5, 5: the first
  CHECK(split_by_measure(10, {1, 2, 4}) == std::vector<int>{1, 3, 6});  // 1.43, 2.86, 5.71
  CHECK(split_by_measure(7, {1}) == std::vector<int>{7});
  CHECK(split_by_measure(10, {1e-9, 1}) == std::vector<int>{1, 9});
  CHECK(split_by_measure(6, {1, 1e-9, 1e-9, 1}) == std::vector<int>{2, 1, 1, 2});
  CHECK(split_by_measure(2, {1, 1, 1}) == std::vector<int>{1, 1, 1});
  CHECK(split_by_measure(1, {5, 1, 1, 9}) == std::vector<int>{1, 1, 1, 1});
}

TEST_CASE("the shares add up and stay within one of exact proportion", "[data][sampling]") {
  const std::vector<double> measures = {0.1, 3, 1, 0.7, 2.2};
  const double total = 7;
  for (int count = 100; count < 400; ++count) {  // every exact share is above 1
    const auto shares = split_by_measure(count, measures);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0) == count);
    for (std::size_t k = 0; k < 5; ++k)
      CHECK(std::fabs(shares[k] - count * measures[k] / total) < 1);
  }
}

TEST_CASE("a region of dimension 0 gives one point, whatever the count", "[data][sampling]") {
  const auto corner = make_box({{0.25, 0.25}, {2, 2}}, {-1, 0});
  for (const std::string& method : sampling_methods()) {
    const Points p =
        draw_points(*corner, {.count = 100, .method = method, .redraw = 0}, 4, here, 0);
    CHECK(p.count == 1);
    CHECK(p.x == std::vector<double>{0.25, 2});
    CHECK(p.normals == std::vector<double>{-1, 0});
    CHECK(p.measure == 1);
  }
}

TEST_CASE("a union of points gives each of them", "[data][sampling]") {
  const auto ends = make_union({make_box({{-1, -1}}, {-1}), make_box({{1, 1}}, {1})});
  const Points p = draw_points(*ends, {}, 4, here, 0);
  CHECK(p.count == 2);
  CHECK(p.x == std::vector<double>{-1, 1});
  CHECK(p.normals == std::vector<double>{-1, 1});
  CHECK(p.measure == 2);
}

TEST_CASE("seed, stream and draw each give other points, the same ones give the same",
          "[data][sampling]") {
  const auto box = make_box({{-1, 1}, {0, 1}});
  for (const std::string& method : sampling_methods()) {
    if (method == "grid") continue;
    const SamplingOptions options{.count = 64, .method = method, .redraw = 0};
    const auto x = draw_points(*box, options, 5, here, 0).x;
    INFO(method);
    CHECK(x == draw_points(*box, options, 5, here, 0).x);
    CHECK(x != draw_points(*box, options, 6, here, 0).x);
    CHECK(x != draw_points(*box, options, 5, stream("initial", "points"), 0).x);
    CHECK(x != draw_points(*box, options, 5, here, 1).x);
  }
}

// A change of any of these numbers changes every result and every resumed run.
TEST_CASE("the points of one seed are these on every machine", "[data][sampling]") {
  const std::map<std::string, std::vector<double>> expected = {
      {"uniform", {-0.87889167440214933, 1.4912132815265338, 0.42192101910642299}},
      {"grid", {0.75, 2.625, 0.59999999999999998}},
      {"lhs", {-0.96871829798286235, 1.327989180157588, 0.45970184037327666}},
      {"halton", {-0.13265215774987693, 0.2511867611269793, 0.55057969098413784}},
      {"hammersley", {0.97715840063239789, 1.114783244551333, 0.44719088114836092}},
      {"sobol", {-0.75681117029911116, 2.7718665469981159, 0.43726706279162242}},
  };
  const auto box = make_box({{-1, 1}, {0, 3}, {0.1, 0.7}});
  for (const std::string& method : sampling_methods()) {
    const Points p = draw_points(*box, {.count = 50, .method = method, .redraw = 0}, 7, here, 2);
    const std::vector<double> last(p.x.end() - 3, p.x.end());
    INFO(method);
    CHECK(last == expected.at(method));
  }
}

TEST_CASE("impossible requests are refused with the way out", "[data][sampling][errors]") {
  const auto box = make_box({{0, 1}});
  CHECK(message(*box, {.count = 0, .method = "sobol", .redraw = 0}) ==
        "error: 0 points were asked for\n  where: points\n  fix:   ask for at least 1");
  CHECK(message(*box, {.count = 9, .method = "sobel", .redraw = 0}) ==
        "error: there is no sampling method 'sobel'\n"
        "  where: method\n"
        "  fix:   choose one of uniform, grid, lhs, halton, hammersley, sobol");
  const auto large = make_box(std::vector<Interval>(162));
  CHECK(message(*large, {.count = 9, .method = "sobol", .redraw = 0}) ==
        "error: sobol points have at most 161 dimensions, the region has 162\n"
        "  where: method = \"sobol\"\n"
        "  fix:   choose \"halton\" or \"lhs\"");
  CHECK(message(*large, {.count = 9, .method = "halton", .redraw = 0}) == "no error");
}
