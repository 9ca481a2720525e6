#include "solvers/points/point_sets.h"

#include <cmath>
#include <set>

#include "solvers/problem/evaluate.h"
#include "tests/catch.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const double pi = 3.14159265358979323846;
const std::vector<std::string> names = {"x", "y", "z", "a", "b", "c"};

/// A formula of the first `d` of these names, each on [0, 1].
ExpressionPtr formula(const std::string& text_of, int d) {
  const auto p = problem({names.begin(), names.begin() + d}, {"u"}, {});
  Warnings warnings;
  return parse_expression(text(text_of), Scope{*p, Scope::Use::formula}, warnings);
}

double mean_square(const ExpressionPtr& f, const WeightedPoints& points, int d) {
  const Evaluator value(*f);
  double sum = 0;
  for (std::size_t n = 0; n < points.count; ++n) {
    const double v = value({.coordinates = std::span(points.x).subspan(n * d, d)});
    sum += points.weights[n] * v * v;
  }
  return sum;
}

}  // namespace

TEST_CASE("weighted points give the mean square of a formula, however thin its layers and peaks",
          "[train][reference]") {
  // exp(-s/w)^2 on one side of an end gives w/2, a Gaussian of variance w^2/2 gives
  // w*sqrt(pi/2) per coordinate.
  struct Case {
    std::string formula;
    int d;
    double mean_square;
  };
  const double g = std::sqrt(pi / 2);
  const Case c = GENERATE_COPY(values<Case>({
      {"sin(pi*x)", 1, 0.5},
      {"exp(-x/1e-5)", 1, 0.5e-5},
      {"exp((x - 1)/1e-5)", 1, 0.5e-5},
      {"exp(-((x - 0.31416)/1e-6)^2)", 1, 1e-6 * g},
      {"exp(-x/1e-5)", 2, 0.5e-5},
      {"exp(-((x - 0.31416)^2 + (y - 0.71)^2)/1e-6)", 2, 1e-6 * g * g},
      {"exp(-x/1e-4)*exp((y - 1)/1e-3)", 2, 0.5e-4 * 0.5e-3},
      {"(1 - tanh((x - 0.3)/1e-6))/2", 2, 0.3},
      {"sin(pi*x)*sin(pi*y)*sin(pi*z)", 3, 0.125},
      {"exp(-z/1e-5)", 3, 0.5e-5},
      {"exp(-((x - 0.3)^2 + (y - 0.6)^2 + (z - 0.5)^2)/1e-4)", 3, 1e-6 * g * g * g},
      {"exp(-b/1e-4)", 5, 0.5e-4},
      {"exp(-c/1e-3)*x", 6, 0.5e-3 / 3},
  }));
  INFO(c.formula << " of " << c.d);
  const ExpressionPtr f = formula(c.formula, c.d);
  const std::size_t count = c.d == 1 ? 2048 : c.d == 2 ? 8192 : 16384;
  const WeightedPoints points = formula_points({f}, std::vector<Interval>(c.d), count);

  CHECK(points.count == count);
  const double found = mean_square(f, points, c.d) / c.mean_square;
  CHECK(found == Approx(1).epsilon(0.05));
}

TEST_CASE("a layer gets many points, and all the rest of the domain its half",
          "[train][reference]") {
  const int d = GENERATE(1, 2, 3);
  const std::size_t count = d == 1 ? 2048 : d == 2 ? 8192 : 16384;
  INFO(d);
  const WeightedPoints points =
      formula_points({formula("sin(pi*x) + exp(-x/1e-5)", d)}, std::vector<Interval>(d), count);
  std::size_t inside = 0, outside = 0;
  for (std::size_t n = 0; n < count; ++n) (points.x[n * d] < 5e-5 ? inside : outside) += 1;
  CHECK(inside > count / 100);
  CHECK(outside > count / 2);
}

TEST_CASE("every formula of several gets points where it changes", "[train][reference]") {
  const std::vector<ExpressionPtr> both = {formula("1e6*sin(pi*x)", 2),
                                           formula("1e-6*exp(-y/1e-5)", 2)};
  const WeightedPoints points = formula_points(both, std::vector<Interval>(2), 8192);
  CHECK(mean_square(both[0], points, 2) == Approx(0.5e12).epsilon(0.01));
  CHECK(mean_square(both[1], points, 2) == Approx(0.5e-17).epsilon(0.05));
}

TEST_CASE("a singular formula and a very long one still leave points all over the domain",
          "[train][reference]") {
  std::string longest = "x";
  for (int i = 0; i < 900; ++i) longest += " + x*y";
  const std::string f =
      GENERATE_COPY(std::string("log(x)*sin(y)"), std::string("1/(x - y)"), std::string("0*x"),
                    std::string("where(x < y, 1, 2)"), longest);
  const WeightedPoints points = formula_points({formula(f, 2)}, std::vector<Interval>(2), 4096);
  double total = 0;
  std::set<int> quarters;
  for (std::size_t n = 0; n < points.count; ++n) {
    total += points.weights[n];
    quarters.insert(int(4 * points.x[2 * n]) + 4 * int(4 * points.x[2 * n + 1]));
  }
  CHECK(points.count == 4096);
  CHECK(total == Approx(1).epsilon(1e-12));
  CHECK(quarters.size() == 16);
}

TEST_CASE("points to take means over come in sets that agree in all other coordinates",
          "[train][reference]") {
  const ExpressionPtr f = formula("exp(-z)*sin(pi*x)*sin(pi*y)", 3);
  const WeightedPoints points =
      formula_points({f}, std::vector<Interval>(3), 16384, {true, true, false});
  std::map<double, double> share;
  for (std::size_t n = 0; n < points.count; ++n) share[points.x[3 * n + 2]] += points.weights[n];
  CHECK(share.size() == 25);  // 16384^(1/3)
  CHECK(points.count <= 16384);
  CHECK(points.count > 16000);
  CHECK(mean_square(f, points, 3) == Approx((1 - std::exp(-2)) / 8).epsilon(0.03));
}
