#include "solvers/problem/evaluate.h"

#include <cmath>

#include "solvers/problem/parse.h"
#include "solvers/problem/words.h"
#include "tests/catch.h"
#include "tests/dice.h"

using namespace pinn;

namespace {

Problem ranged_plane() {
  Problem p;
  p.coordinates = {{"x", -5, 5, Role::space, ""}, {"y", -5, 5, Role::space, ""}};
  return p;
}

ExpressionPtr formula(const std::string& text) {
  Warnings warnings;
  const Problem p = ranged_plane();
  return parse_expression({text, {}, true}, Scope{p, Scope::Use::formula}, warnings);
}

Interval range(const std::string& text, const std::vector<Interval>& box) {
  return RangeEvaluator(*formula(text))(box);
}

/// Every function of numbers, called with coordinates; without those that have poles.
std::vector<std::string> calls() {
  std::vector<std::string> all = {"x + y", "x - y", "x*y", "x/(y + 20)", "x^3", "x^2*y", "x < y"};
  for (const std::string& name : function_names()) {
    const Function& f = *find_function(name);
    const bool of_formulas = name == "d" || name == "laplacian" || name == "grad" ||
                             name == "div" || name == "dot" || name == "tan" || name == "recip";
    if (of_formulas) continue;
    all.push_back(name + (f.least == 1 ? "(x)" : f.least == 2 ? "(x, y)" : "(x, x, y)"));
  }
  return all;
}

}  // namespace

TEST_CASE("what a function is on a box lies in its range there, but for a tenth of it",
          "[problem]") {
  test::Dice dice(3);
  const auto side = [&] {
    const double middle = 6 * dice.uniform() - 3, width = std::pow(10, 2 - 6 * dice.uniform());
    return Interval{middle - width, middle + width};
  };
  for (const std::string& call : calls()) {
    const ExpressionPtr e = formula(call);
    const Evaluator value(*e);
    for (int box = 0; box < 50; ++box) {
      const std::vector<Interval> sides = {side(), side()};
      const Interval found = RangeEvaluator(*e)(sides);
      const double slack = 0.1 * (found.upper - found.lower) + 1e-12;
      for (int i = 0; i < 50; ++i) {
        std::vector<double> x;
        for (const Interval& s : sides) x.push_back(s.lower + (s.upper - s.lower) * dice.uniform());
        const double v = value({.coordinates = x});
        if (!std::isfinite(v)) continue;
        INFO(call << " at " << x[0] << ", " << x[1]);
        REQUIRE(v >= found.lower - slack);
        REQUIRE(v <= found.upper + slack);
      }
    }
  }
}

TEST_CASE("a peak of any width shows in the range on a box that holds it", "[problem]") {
  const std::vector<Interval> box = {{-1, 2}, {-1, 2}};
  CHECK(range("exp(-((x - 0.3)^2 + (y - 0.4)^2)/1e-20)", box).upper == 1);
  CHECK(range("1/cosh((x - y)/1e-9)^2", box).upper == 1);
  CHECK(range("1/(1 + ((x - 0.3)/1e-9)^2)", box).upper == 1);
  CHECK(range("tanh((x - 0.3)/1e-9)", box).upper == 1);
  CHECK(range("tanh((x - 0.3)/1e-9)", box).lower == -1);
  CHECK(range("where(x > 0.3, y, 7)", box).upper == 7);
}

TEST_CASE("the range shrinks with the box, and is unbounded at a pole", "[problem]") {
  const auto width = [](double h) {
    const Interval r = range("sin(x)*cos(y) + x*y", {{1, 1 + h}, {2, 2 + h}});
    return r.upper - r.lower;
  };
  CHECK(width(1e-3) < 5e-3);
  CHECK(width(1e-6) == Approx(1e-3 * width(1e-3)).epsilon(0.01));
  CHECK(range("1/x", {{-1, 1}, {0, 0}}).upper == INFINITY);
  CHECK(range("x*log(x)", {{0, 1}, {0, 0}}).lower == -INFINITY);
}
