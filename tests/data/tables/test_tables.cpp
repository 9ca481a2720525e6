#include "data/tables/scattered_table.h"

#include <cmath>
#include <functional>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/dice.h"

using namespace pinn;
using Catch::Matchers::Contains;
using pinn::test::Dice;

namespace {

double between(Dice& dice, double lower, double upper) {
  return lower + (upper - lower) * dice.uniform();
}

/// A polynomial: the product over inputs of one in each, by its coefficients.
struct Product {
  std::vector<std::vector<double>> coefficients;

  double operator()(const std::vector<double>& x, const MultiIndex& order = {}) const {
    double value = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0;
      for (std::size_t k = order[i]; k < coefficients[i].size(); ++k) {
        double factor = coefficients[i][k];
        for (std::size_t j = 0; j < order[i]; ++j) factor *= double(k - j);
        sum += factor * std::pow(x[i], double(k - order[i]));
      }
      value *= sum;
    }
    return value;
  }
};

using Knots = std::vector<std::vector<double>>;

template <class F> std::vector<double> values_on(const Knots& knots, const F& f) {
  std::size_t count = 1;
  for (const auto& axis : knots) count *= axis.size();
  std::vector<double> values;
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<double> x(knots.size());
    std::size_t rest = n;
    for (std::size_t i = knots.size(); i-- > 0; rest /= knots[i].size())
      x[i] = knots[i][rest % knots[i].size()];
    values.push_back(f(x));
  }
  return values;
}

TableOptions options(std::size_t inputs, Interpolation interpolation,
                     Outside outside = Outside::error) {
  const std::vector<std::string> names = {"x", "y", "z", "w"};
  return {"a", {names.begin(), names.begin() + std::ptrdiff_t(inputs)}, interpolation, outside};
}

const std::vector<double> uneven = {-1, -0.7, -0.1, 0.2, 0.4, 0.9, 1.3};
const std::vector<double> even = {0, 0.25, 0.5, 0.75, 1};

}  // namespace

TEST_CASE("a table of a polynomial of its degree is exact, and so are its derivatives",
          "[data][tables]") {
  Dice dice(5);
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic})
    for (std::size_t d = 1; d <= 4; ++d) {
      const std::size_t degree = kind == Interpolation::cubic ? 3 : 1;
      Product f;
      Knots knots;
      for (std::size_t i = 0; i < d; ++i) {
        f.coefficients.emplace_back();
        for (std::size_t k = 0; k <= degree; ++k) f.coefficients[i].push_back(between(dice, -1, 1));
        knots.push_back(i % 2 == 0 ? uneven : even);
      }
      const TablePtr table = grid_table(options(d, kind), knots, values_on(knots, f));
      for (int n = 0; n < 200; ++n) {
        std::vector<double> x;
        MultiIndex order{};
        for (std::size_t i = 0; i < d; ++i) {
          x.push_back(between(dice, knots[i].front(), knots[i].back()));
          order[i] = std::uint8_t(dice.below(int(degree) + 1));
        }
        INFO(d << " inputs of degree " << degree);
        // roundings of values are divided by lengths of cells, as often as is differentiated
        CHECK((*table)(x, order) ==
              Approx(f(x, order)).margin(1e-13 * std::pow(40, pinn::order(order))));
      }
    }
}

TEST_CASE("a cubic table through three points is a parabola, through two a line",
          "[data][tables]") {
  const Product parabola{{{1, -2, 3}}};
  const Knots three = {{0, 0.3, 1}};
  const TablePtr of_three =
      grid_table(options(1, Interpolation::cubic), three, values_on(three, parabola));
  CHECK((*of_three)({{0.7}}, {1}) == Approx(parabola({0.7}, {1})));
  CHECK((*of_three)({{0.1}}, {2}) == Approx(6));
  const TablePtr of_two = grid_table(options(1, Interpolation::cubic), {{0, 2}}, {1, 5});
  CHECK((*of_two)({{0.5}}) == Approx(2));
  CHECK((*of_two)({{0.5}}, {1}) == Approx(2));
  CHECK(of_two->vanishes({2}));
}

TEST_CASE("the slope of a linear table is that of the cell, and bends nowhere", "[data][tables]") {
  const TablePtr table = grid_table(options(1, Interpolation::linear), {{0, 1, 3}}, {0, 2, 3});
  CHECK((*table)({{0.5}}, {1}) == 2);
  CHECK((*table)({{2.9}}, {1}) == 0.5);
  CHECK((*table)({{1.0}}, {1}) == 0.5);  // at a knot that of the upper cell
  CHECK(table->vanishes({2}));
  CHECK((*table)({{0.5}}, {2}) == 0);
}

TEST_CASE("the nearest knot decides, and at a middle the upper one", "[data][tables]") {
  const TablePtr table = grid_table(options(1, Interpolation::nearest), {{0, 1, 3}}, {5, 6, 7});
  CHECK((*table)({{0.49}}) == 5);
  CHECK((*table)({{0.5}}) == 6);
  CHECK((*table)({{1.9}}) == 6);
  CHECK((*table)({{3.0}}) == 7);
  CHECK(table->vanishes({1}));
}

TEST_CASE("beyond its range a table stays what it is at the end, with no slope there",
          "[data][tables]") {
  const Knots knots = {even, uneven};
  const Product f{{{1, 2, -1, 1}, {0.5, 1, 1, -2}}};
  const TablePtr table =
      grid_table(options(2, Interpolation::cubic, Outside::clamp), knots, values_on(knots, f));
  CHECK((*table)({{1.5, 0.3}}) == Approx(f({1, 0.3})));
  CHECK((*table)({{1.5, 0.3}}, {1, 0}) == 0);
  CHECK((*table)({{1.5, 0.3}}, {0, 1}) == Approx(f({1, 0.3}, {0, 1})));
  CHECK((*table)({{-9, 9}}) == Approx(f({0, 1.3})));
  CHECK(table->outside(std::vector<double>{1.5, 0.3}) == 0);
  CHECK(table->outside(std::vector<double>{0.5, 1.31}) == 1);
  // what float32 makes of an end is that end, with the slope inside
  CHECK(table->outside(std::vector<double>{double(float(1.0 + 1e-7)), 0.3}) == -1);
  CHECK((*table)({{1 + 1e-7, 0.3}}, {1, 0}) == Approx(f({1, 0.3}, {1, 0})));
  CHECK(std::isnan((*table)({{NAN, 0.3}})));
}

TEST_CASE("a periodic table goes on, smooth over the seam", "[data][tables]") {
  std::vector<double> x, y;
  for (int i = 0; i <= 64; ++i) {
    x.push_back(i / 32.0 - 1);
    y.push_back(std::sin(M_PI * x.back()));
  }
  y.back() = y.front();
  const TablePtr table = grid_table(options(1, Interpolation::cubic, Outside::periodic), {x}, y);
  for (const double at : {-0.99, 0.3, 1.01, 5.3, -7.9}) {
    CHECK((*table)({{at}}) == Approx(std::sin(M_PI * at)).margin(1e-6));
    CHECK((*table)({{at}}, {2}) == Approx(-M_PI * M_PI * std::sin(M_PI * at)).margin(1e-2));
  }
  CHECK((*table)({{1 - 1e-9}}, {1}) == Approx((*table)({{1 + 1e-9}}, {1})));
  CHECK((*table)({{1 - 1e-9}}, {2}) == Approx((*table)({{1 + 1e-9}}, {2})).margin(1e-5));
  CHECK(table->outside(std::vector<double>{100.0}) == -1);
  y.back() = 0.5;
  CHECK_THROWS_WITH(grid_table(options(1, Interpolation::linear, Outside::periodic), {x}, y),
                    Contains("is not periodic in x"));
}

TEST_CASE("the slope of a table is the limit of its differences", "[data][tables]") {
  Dice dice(3);
  const Knots knots = {uneven, even, even};
  std::vector<double> values(uneven.size() * even.size() * even.size());
  for (double& v : values) v = between(dice, -1, 1);
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic}) {
    const TablePtr table = grid_table(options(3, kind), knots, values);
    for (int n = 0; n < 100; ++n) {
      const std::vector<double> x = {between(dice, -1, 1.3), between(dice, 0, 1),
                                     between(dice, 0, 1)};
      const std::size_t i = std::size_t(n % 3);
      std::vector<double> lower = x, upper = x;
      lower[i] -= 1e-7;
      upper[i] += 1e-7;
      MultiIndex by{};
      by[i] = 1;
      const double difference = ((*table)(upper) - (*table)(lower)) / 2e-7;
      CHECK((*table)(x, by) == Approx(difference).epsilon(1e-5).margin(1e-5));
    }
  }
}

TEST_CASE("knots that do not ascend are refused", "[data][tables]") {
  CHECK_THROWS_WITH(grid_table(options(1, Interpolation::linear), {{0, 2, 1}}, {0, 0, 0}),
                    Contains("does not ascend: number 2 is 2, and number 3 is 1"));
  CHECK_THROWS_WITH(grid_table(options(1, Interpolation::linear), {{0}}, {0}),
                    Contains("one place along x"));
}

TEST_CASE("the nearest of scattered points is the one a search of all of them finds",
          "[data][tables]") {
  Dice dice(7);
  for (std::size_t d = 2; d <= 4; ++d) {
    std::vector<double> points, values;
    for (int p = 0; p < 300; ++p) {
      for (std::size_t i = 0; i < d; ++i)
        points.push_back(i == 0 ? between(dice, 0, 100) : between(dice, -1, 1));
      values.push_back(p);
    }
    std::vector<double> least(d, 1e9), length(d);
    for (std::size_t i = 0; i < d; ++i) {
      double most = -1e9;
      for (std::size_t p = 0; p < 300; ++p) {
        least[i] = std::min(least[i], points[p * d + i]);
        most = std::max(most, points[p * d + i]);
      }
      length[i] = most - least[i];
    }
    const TablePtr table = nearest_table(options(d, Interpolation::nearest), points, values);
    for (int n = 0; n < 300; ++n) {
      std::vector<double> x;
      for (std::size_t i = 0; i < d; ++i)
        x.push_back(i == 0 ? between(dice, 0, 100) : between(dice, -1, 1));
      double best = 1e9, found = -1;
      for (std::size_t p = 0; p < 300; ++p) {
        double distance = 0;
        for (std::size_t i = 0; i < d; ++i)
          distance += std::pow((x[i] - points[p * d + i]) / length[i], 2);
        if (distance < best) best = distance, found = double(p);
      }
      REQUIRE((*table)(x) == found);
    }
  }
}

TEST_CASE("a linear table of scattered points is exact for linear functions, and has their slope",
          "[data][tables]") {
  Dice dice(11);
  for (std::size_t d = 2; d <= 4; ++d) {
    const auto f = [](const std::vector<double>& x, const MultiIndex& order = {}) {
      double value = order == MultiIndex{} ? 2 : 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double slope = double(i) + 1;
        if (order == MultiIndex{}) value += slope * x[i];
        if (order[i] == 1) value = slope;
      }
      return value;
    };
    std::vector<double> points, values;
    for (int p = 0; p < 200; ++p) {
      std::vector<double> x;
      for (std::size_t i = 0; i < d; ++i)
        x.push_back(i == 0 ? between(dice, 0, 100) : between(dice, -1, 1));
      points.insert(points.end(), x.begin(), x.end());
      values.push_back(f(x));
    }
    const TablePtr table = planes_table(options(d, Interpolation::linear), points, values);
    const auto ranges = table->ranges();
    for (int n = 0; n < 200; ++n) {
      std::vector<double> x;
      for (const auto& range : ranges) x.push_back(between(dice, range[0], range[1]));
      MultiIndex by{};
      by[std::size_t(n) % d] = 1;
      CHECK((*table)(x) == Approx(f(x)).epsilon(1e-9));
      CHECK((*table)(x, by) == Approx(f(x, by)).epsilon(1e-7));
    }
    CHECK(is_scattered(*table));
  }
}

TEST_CASE("a linear table of scattered points takes their values, and has the slope of what it is",
          "[data][tables]") {
  Dice dice(13);
  std::vector<double> points, values;
  for (int p = 0; p < 100; ++p) {
    points.push_back(between(dice, 0, 3));
    points.push_back(between(dice, 0, 1));
    values.push_back(std::sin(points[std::size_t(2 * p)]) * points.back());
  }
  const TablePtr table = planes_table(options(2, Interpolation::linear), points, values);
  for (std::size_t p = 0; p < values.size(); ++p)
    CHECK((*table)(std::span(points).subspan(2 * p, 2)) == Approx(values[p]).epsilon(1e-12));
  int close = 0;
  for (int n = 0; n < 200; ++n) {
    const std::vector<double> x = {between(dice, 0.3, 2.7), between(dice, 0.1, 0.9)};
    CHECK((*table)(x) == Approx(std::sin(x[0]) * x[1]).margin(0.05));
    for (const std::size_t i : {0u, 1u}) {
      std::vector<double> lower = x, upper = x;
      lower[i] -= 1e-6;
      upper[i] += 1e-6;
      MultiIndex by{};
      by[i] = 1;
      const double difference = ((*table)(upper) - (*table)(lower)) / 2e-6;
      close += std::fabs((*table)(x, by) - difference) < 1e-5 * (1 + std::fabs(difference));
    }
  }
  CHECK(close > 395);  // but where the nearest points change
  CHECK_THROWS_WITH(planes_table(options(2, Interpolation::linear), {0, 0, 1, 0, 0, 1}, {1, 2, 3}),
                    Contains("has 3 points"));
}
