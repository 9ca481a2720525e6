#include "data/sampling/adaptive.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

using Numbers = std::vector<std::size_t>;

AdaptiveOptions kind(const std::string& name) {
  AdaptiveOptions options;
  options.kind = name;
  return options;
}

const Random random_of(std::uint32_t draw) { return {1, stream("equation", "choice"), draw}; }

/// A residual that has a front: 0.01 to 1 and back.
std::vector<double> front(std::size_t count) {
  std::vector<double> r;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = (double(i) + 0.5) / double(count) - 0.3;
    r.push_back(0.01 + std::exp(-100 * x * x));
  }
  return r;
}

/// How often each of the equal classes of numbers below `all` is drawn in many draws.
std::vector<double> counts(const std::vector<double>& weights, std::size_t count, int draws,
                           std::size_t classes) {
  std::vector<double> seen(classes, 0);
  for (int k = 0; k < draws; ++k)
    for (const std::size_t i : draw_by_weight(weights, count, random_of(std::uint32_t(k))))
      ++seen[i * classes / weights.size()];
  return seen;
}

/// True if chi-square is below its 1 - 1e-6 quantile, by Wilson and Hilferty.
bool agree(const std::vector<double>& seen, const std::vector<double>& expected) {
  double chi_square = 0;
  for (std::size_t i = 0; i < seen.size(); ++i)
    chi_square += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
  const double k = double(seen.size() - 1), s = 2 / (9 * k);
  return chi_square < k * std::pow(1 - s + 4.75 * std::sqrt(s), 3);
}

std::vector<double> largest_values(std::vector<double> values, std::size_t count) {
  std::sort(values.begin(), values.end(), std::greater<>());
  values.resize(count);
  return values;
}

std::vector<double> at(const std::vector<double>& values, const Numbers& numbers) {
  std::vector<double> found;
  for (const std::size_t i : numbers) found.push_back(values[i]);
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

}  // namespace

TEST_CASE("rad draws different candidates, as many as are asked for", "[data][sampling]") {
  const std::vector<double> there = front(5000);
  for (const std::size_t count : {1u, 700u, 5000u}) {
    const Choice choice = choose_points(kind("rad"), count, {}, there, random_of(0));
    CHECK(choice.kept.empty());
    REQUIRE(choice.taken.size() == count);
    CHECK(std::is_sorted(choice.taken.begin(), choice.taken.end()));
    CHECK(std::adjacent_find(choice.taken.begin(), choice.taken.end()) == choice.taken.end());
    CHECK(choice.taken.back() < 5000);
  }
}

TEST_CASE("rad with power 0 is uniform, whatever the residual", "[data][sampling]") {
  const std::vector<double> density = rad_density(front(4000), 0, 0.5);
  for (const double d : density) CHECK(d == 1.5);
  const std::vector<double> seen = counts(density, 200, 100, 20);
  CHECK(agree(seen, std::vector<double>(20, 200 * 100 / 20.0)));

  AdaptiveOptions flat = kind("rad"), other = kind("rad");
  flat.power = other.power = 0;
  other.floor = 7;
  CHECK(choose_points(flat, 300, {}, front(4000), random_of(3)).taken ==
        choose_points(other, 300, {}, std::vector<double>(4000, 0.25), random_of(3)).taken);
}

// Few of many candidates: what is left of them is as dense as all, to a part in a hundred.
TEST_CASE("rad concentrates by |r|^power / mean |r|^power + floor", "[data][sampling]") {
  const std::vector<double> there = front(20'000);
  for (const auto& [power, floor] : {std::pair(1.0, 1.0), {2.0, 0.5}, {1.0, 0.0}}) {
    INFO(power << " " << floor);
    std::vector<double> expected(20, 0);
    double mean = 0;
    for (const double r : there) mean += std::pow(r, power) / double(there.size());
    for (std::size_t i = 0; i < there.size(); ++i)
      expected[i / 1000] += 20 * 300 * (std::pow(there[i], power) / mean + floor) / (1 + floor) /
                            double(there.size());
    const std::vector<double> seen =
        counts(rad_density(there, power, floor), 20, 300, expected.size());
    CHECK(agree(seen, expected));
    CHECK(!agree(seen, std::vector<double>(20, 300)));  // uniform it is not
  }
}

TEST_CASE("without replacement the first drawn of two follows their weights", "[data][sampling]") {
  double first = 0;
  for (std::uint32_t k = 0; k < 20'000; ++k)
    if (draw_by_weight(std::vector{3.0, 1.0}, 1, random_of(k)).front() == 0) ++first;
  CHECK(agree({first, 20'000 - first}, {15'000, 5000}));
  CHECK(draw_by_weight(std::vector{0.0, 1.0, 0.0, 2.0}, 2, random_of(0)) == Numbers{1, 3});
}

TEST_CASE("rar adds exactly the candidates with the largest residuals", "[data][sampling]") {
  AdaptiveOptions rar = kind("rar");
  rar.add = 0.1;
  const std::vector<double> here = {5, 1, 4, 2, 3}, there = front(300);
  const Choice choice = choose_points(rar, 50, here, there, random_of(0));
  CHECK(choice.kept == Numbers{0, 1, 2, 3, 4});
  CHECK(at(there, choice.taken) == largest_values(there, 5));
}

TEST_CASE("rar at its cap lets new points replace those with the smallest residuals",
          "[data][sampling]") {
  AdaptiveOptions rar = kind("rar");
  rar.add = 0.75, rar.most = 2;  // 3 of 4 points, up to 8
  const std::vector<double> there = {9, 1, 8, 0, 7};
  const Choice below = choose_points(rar, 4, std::vector<double>{1, 2, 3, 4, 5}, there, {});
  CHECK(below.kept == Numbers{0, 1, 2, 3, 4});
  CHECK(below.taken == Numbers{0, 2, 4});
  const std::vector<double> full = {6, 1, 2, 8, 3, 7, 4, 5};
  const Choice at_cap = choose_points(rar, 4, full, there, {});
  CHECK(at_cap.kept == Numbers{0, 3, 5, 6, 7});
  CHECK(at_cap.taken == Numbers{0, 2, 4});
}

TEST_CASE("r3 keeps exactly the points with a residual above the mean", "[data][sampling]") {
  const std::vector<double> here = {0.1, 2, 0.3, 0.2, 5, 1.4}, there = front(1000);  // mean 1.5
  const Choice choice = choose_points(kind("r3"), 6, here, there, random_of(0));
  CHECK(choice.kept == Numbers{1, 4});
  CHECK(choice.taken.size() == 4);
}

TEST_CASE("r3 draws its new points uniformly", "[data][sampling]") {
  std::vector<double> seen(10, 0);
  for (std::uint32_t k = 0; k < 200; ++k)
    for (const std::size_t i :
         choose_points(kind("r3"), 40, std::vector<double>{0, 1}, front(1000), random_of(k)).taken)
      ++seen[i / 100];
  CHECK(agree(seen, std::vector<double>(10, 39 * 200 / 10.0)));
}

TEST_CASE("a residual of 0, and one near the largest number there is, make a density",
          "[data][sampling]") {
  for (const double floor : {0.0, 1.0}) {
    for (const double d : rad_density(std::vector<double>(5, 0.0), 2, floor)) CHECK(d == 1);
    const auto huge = rad_density(std::vector{1e300, 0.0, 1e300, 0.0}, 4, floor);
    CHECK(huge == std::vector{2 + floor, floor, 2 + floor, floor});
  }
}

TEST_CASE("concentration is 0.1 for equal numbers, 1 for one of many, and none for zeros",
          "[data][sampling]") {
  CHECK(concentration(std::vector<double>(200, 1e-200)) == Approx(0.1));
  std::vector<double> one(50, 0);
  one[17] = -3;
  CHECK(concentration(one) == 1);
  CHECK(std::isnan(concentration(std::vector<double>(10, 0.0))));
}

TEST_CASE("an unknown kind of adaptive sampling is named with those there are",
          "[data][sampling][errors]") {
  CHECK_THROWS_WITH(choose_points(kind("best"), 1, {}, {}, {}),
                    Catch::Matchers::Contains("no adaptive sampling 'best'") &&
                        Catch::Matchers::Contains("choose one of rad, rar, r3"));
}
