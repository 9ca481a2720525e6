#include <cmath>
#include <functional>

#include "autograd/core/error.h"
#include "data/tables/scattered_table.h"
#include "tests/catch.h"
#include "tests/dice.h"
#include "tests/larger.h"

using namespace pinn;
using Catch::Matchers::Contains;
using pinn::test::Dice;

namespace {

using Numbers = std::vector<double>;

double drawn_between(Dice& dice, double lower, double upper) {
  return lower + (upper - lower) * dice.uniform();
}

TableOptions options_of(std::size_t inputs, Interpolation interpolation = Interpolation::cubic) {
  const std::vector<std::string> names = {"x", "y", "z", "w"};
  return {
      "a", {names.begin(), names.begin() + std::ptrdiff_t(inputs)}, interpolation, Outside::error};
}

/// Places in a box of quite different lengths.
Numbers place(Dice& dice, std::size_t inputs) {
  Numbers x;
  for (std::size_t i = 0; i < inputs; ++i)
    x.push_back(i == 0 ? drawn_between(dice, 20, 100) : drawn_between(dice, -1, 0.5 * double(i)));
  return x;
}

struct Points {
  Numbers x, values;
};
Points points_of(std::size_t count, std::size_t inputs,
                 const std::function<double(const Numbers&)>& f, unsigned seed) {
  Dice dice(seed);
  Points all;
  for (std::size_t p = 0; p < count; ++p) {
    const Numbers x = place(dice, inputs);
    all.x.insert(all.x.end(), x.begin(), x.end());
    all.values.push_back(f(x));
  }
  return all;
}

/// A polynomial of degree 3 in all: a product of lines in mixtures of the inputs.
struct Cubic {
  /// Value at x: 2 + t - t^2/3 + t^3/5 with t = sum_i m_i x_i + m_0, and all its derivatives.
  double operator()(const Numbers& x, const MultiIndex& order = {}) const {
    double t = 0.3, inner = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double slope = i == 0 ? 0.02 : i == 1 ? -0.9 : 0.4 * double(i);
      t += slope * x[i];
      inner *= std::pow(slope, int(order[i]));
    }
    const double outer[] = {2 + t - t * t / 3 + t * t * t / 5, 1 - 2 * t / 3 + 3 * t * t / 5,
                            -2. / 3 + 6 * t / 5, 6. / 5, 0};
    return inner * outer[pinn::order(order)];
  }
};

std::vector<MultiIndex> orders(std::size_t inputs, int most) {
  std::vector<MultiIndex> all = {{}};
  for (std::size_t first = 0, last = 1; most > 0; --most, first = last, last = all.size())
    for (std::size_t k = first; k < last; ++k)
      for (std::size_t i = 0; i < inputs; ++i) all.push_back(all[k] + unit_index(int(i)));
  return all;
}

double wave(const Numbers& x) { return std::sin(0.05 * x[0]) * std::exp(0.5 * x[1]); }

}  // namespace

TEST_CASE("a cubic table of scattered points is exact for cubic polynomials, with derivatives",
          "[data][tables]") {
  for (std::size_t d = 2; d <= 4; ++d) {
    const Points known = points_of(d == 2 ? 10 : 70, d, Cubic(), 3);
    const TablePtr table = polyharmonic_table(options_of(d), known.x, known.values);
    CHECK(is_scattered(*table));
    const auto ranges = table->ranges();
    Dice dice(17);
    for (int n = 0; n < 40; ++n) {
      Numbers x;
      for (const auto& range : ranges) x.push_back(drawn_between(dice, range[0], range[1]));
      for (const MultiIndex& order : orders(d, 4)) {
        double scale = 1;  // of a derivative, in units of the ranges
        for (std::size_t i = 0; i < d; ++i)
          scale /= std::pow(ranges[i][1] - ranges[i][0], int(order[i]));
        CHECK((*table)(x, order) == Approx(Cubic()(x, order)).epsilon(1e-9).margin(1e-8 * scale));
      }
    }
  }
}

TEST_CASE("a cubic table of scattered points takes their values, and is near to what they are of",
          "[data][tables]") {
  double before = 1;
  for (const std::size_t count : {100, 400, 1600}) {
    const Points known = points_of(count, 2, wave, 5);
    const TablePtr table = polyharmonic_table(options_of(2), known.x, known.values);
    for (std::size_t p = 0; p < count; ++p)
      REQUIRE((*table)(std::span(known.x).subspan(2 * p, 2)) ==
              Approx(known.values[p]).margin(1e-9));
    Dice dice(7);
    double error = 0;
    for (int n = 0; n < 200; ++n) {
      const Numbers x = {drawn_between(dice, 28, 92), drawn_between(dice, -0.85, 0.35)};
      error = test::larger(error, std::fabs((*table)(x)-wave(x)));
    }
    CHECK(error < before / 4);  // a distance half as large
    before = error;
  }
  CHECK(before < 1e-4);
}

TEST_CASE("derivatives of scattered tables are differences of those of one order less",
          "[data][tables]") {
  const Points known = points_of(
      60, 3, [](const Numbers& x) { return wave(x) + x[1] * x[2]; }, 9);
  struct Kind {
    TablePtr table;
    int most, unlike;
  };
  // Planes turn where the nearest points change.
  const Kind kinds[] = {
      {polyharmonic_table(options_of(3), known.x, known.values), 4, 0},
      {planes_table(options_of(3, Interpolation::linear), known.x, known.values), 3, 2}};
  for (const auto& [table, most, unlike] : kinds) {
    const auto ranges = table->ranges();
    int apart = 0;
    Dice dice(19);
    for (int n = 0; n < 20; ++n) {
      Numbers x;
      for (const auto& range : ranges)
        x.push_back(
            drawn_between(dice, 0.9 * range[0] + 0.1 * range[1], 0.1 * range[0] + 0.9 * range[1]));
      bool agree = true;
      for (const MultiIndex& order : orders(3, most - 1))
        for (std::size_t i = 0; i < 3; ++i) {
          const double h = 1e-6 * (ranges[i][1] - ranges[i][0]);
          double scale = h;
          for (std::size_t k = 0; k < 3; ++k)
            scale *= std::pow(ranges[k][1] - ranges[k][0], -int(order[k]));
          Numbers lower = x, upper = x;
          lower[i] -= h;
          upper[i] += h;
          const double difference = ((*table)(upper, order) - (*table)(lower, order)) / 2;
          const double slope = (*table)(x, order + unit_index(int(i))) * h;
          // of values that may be some thousand times as large as those of the ranges
          agree = agree && std::fabs(slope - difference) < 1e-3 * std::fabs(slope) + 1e-3 * scale;
        }
      apart += !agree;
    }
    CHECK(apart <= unlike);
  }
}

TEST_CASE("second derivatives of a cubic table go smoothly through its points", "[data][tables]") {
  const Points known = points_of(80, 2, wave, 21);
  const TablePtr table = polyharmonic_table(options_of(2), known.x, known.values);
  const auto ranges = table->ranges();
  for (std::size_t p = 0; p < 80; ++p)
    for (const MultiIndex& order : {MultiIndex{2}, MultiIndex{1, 1}, MultiIndex{0, 2}}) {
      const double length = ranges[0][1] - ranges[0][0], height = ranges[1][1] - ranges[1][0];
      const Numbers at = {known.x[2 * p], known.x[2 * p + 1]};
      const double scale = std::pow(length, -int(order[0])) * std::pow(height, -int(order[1]));
      const auto at_distance = [&](double h) {
        const double x = at[0] + (at[0] < 60 ? h : -h) * length;
        const double y = at[1] + (at[1] < -0.2 ? h : -h) * height;
        return ((*table)(Numbers{x, y}, order) - (*table)(at, order)) / scale;
      };
      CHECK(std::fabs(at_distance(1e-9)) < 1e-4);
    }
}

TEST_CASE("beyond its range a cubic table of points is what it is at the edge", "[data][tables]") {
  const Points known = points_of(40, 2, wave, 23);
  const TablePtr table = polyharmonic_table(options_of(2), known.x, known.values);
  const auto ranges = table->ranges();
  const Numbers edge = {ranges[0][1], -0.3}, beyond = {ranges[0][1] + 30, -0.3};
  CHECK(table->outside(beyond) == 0);
  CHECK((*table)(beyond) == (*table)(edge));
  CHECK((*table)(beyond, {1}) == 0);
  CHECK((*table)(beyond, {1, 1}) == 0);
  CHECK((*table)(beyond, {0, 1}) == (*table)(edge, {0, 1}));
  CHECK(std::isnan((*table)(Numbers{std::nan(""), 0})));
}

TEST_CASE("points that give no cubic table are refused", "[data][tables][errors]") {
  const auto refused = [](const Points& known, std::size_t d, const std::string& why) {
    CHECK_THROWS_WITH(polyharmonic_table(options_of(d), known.x, known.values), Contains(why));
  };
  refused(points_of(9, 2, wave, 1), 2, "the cubic table 'a' has 9 points");
  refused(points_of(34, 4, wave, 1), 4, "has 34 points");
  refused(points_of(4001, 2, wave, 1), 2, "at most 4000 are possible");
  Points circle;
  for (int k = 0; k < 50; ++k) {
    circle.x.push_back(std::cos(0.1 * k));
    circle.x.push_back(std::sin(0.1 * k));
    circle.values.push_back(k);
  }
  refused(circle, 2, "the points of the table 'a' lie on one curve of degree 3");
  Points close = points_of(50, 2, wave, 1);
  close.x.push_back(close.x[0] + 1e-9);
  close.x.push_back(close.x[1]);
  close.values.push_back(close.values[0] + 1);
  refused(close, 2, "the nearest two are");
}
