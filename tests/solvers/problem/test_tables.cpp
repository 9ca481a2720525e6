// Functions from data in formulas.
#include "solvers/problem/tables.h"

#include <cmath>

#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/point_formula.h"
#include "tests/catch.h"
#include "tests/solvers/problem/same.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

TablePtr cubic_of_two() {
  const std::vector<double> x = {0, 0.2, 0.5, 0.9, 1}, y = {0, 0.4, 0.6, 1};
  std::vector<double> values;
  for (const double u : x)
    for (const double v : y) values.push_back(u * u * u - 2 * u * v * v + v);
  return grid_table({"a", {"x", "y"}, Interpolation::cubic, Outside::error}, {x, y}, values);
}

/// plane() with a(x, y), of x and y; k(T), of nothing that is declared; m(u), of the field; the
/// nearest f(x) and the linear g(x).
Problem with_tables() {
  Problem p = plane();
  const auto of = [](const char* name, const char* input, Interpolation kind) {
    return grid_table({name, {input}, kind, Outside::error}, {{0, 0.5, 1}}, {1, 2, 5});
  };
  const auto x = make_leaf(Expression::Kind::coordinate, 0);
  const auto y = make_leaf(Expression::Kind::coordinate, 1);
  const auto u = make_leaf(Expression::Kind::field, 0);
  p.functions = {{"a", cubic_of_two(), {x, y}, "a.h5"},
                 {"c", of("c", "T", Interpolation::cubic), {nullptr}, "c.csv"},
                 {"m", of("m", "u", Interpolation::cubic), {u}, "m.csv"},
                 {"f", of("f", "x", Interpolation::nearest), {x}, "f.csv"},
                 {"g", of("g", "x", Interpolation::linear), {x}, "g.csv"}};
  return p;
}

double at(const std::string& formula, double x, double y) {
  const Problem p = with_tables();
  const double place[] = {x, y, 0.5};
  return evaluate(*expression(formula, {p, Scope::Use::formula}), {.coordinates = place});
}

std::string mistake(const std::string& formula, Scope::Use use = Scope::Use::residual) {
  const Problem p = with_tables();
  return message([&] { expression(formula, {p, use}); });
}

}  // namespace

TEST_CASE("a table alone is the function of its own inputs", "[problem][tables]") {
  const Problem p = with_tables();
  CHECK(same(*expression("a", {p}), *expression("a(x, y)", {p})));
  CHECK(same(*expression("m", {p}), *expression("m(u)", {p})));
  CHECK(print(*expression("a + 2*m", {p}), {p}) == "a(x, y) + 2*m(u)");
  CHECK(at("a", 0.3, 0.7) == Approx(0.027 - 2 * 0.3 * 0.49 + 0.7));
  CHECK(at("a(y, x^2)", 0.3, 0.7) == Approx(0.343 - 2 * 0.7 * 0.0081 + 0.09));
  CHECK(at("c(0.25)", 0, 0) == Approx(1.25));  // on the parabola 1 + 4 T^2
}

TEST_CASE("derivatives of tables follow the chain rule to second order", "[problem][tables]") {
  CHECK(at("a_x", 0.3, 0.7) == Approx(3 * 0.09 - 2 * 0.49));
  CHECK(at("a_xy", 0.3, 0.7) == Approx(-4 * 0.7));
  CHECK(at("d(a(x^2, y), x)", 0.5, 0.7) == Approx(2 * 0.5 * (3 * 0.0625 - 2 * 0.49)));
  CHECK(at("laplacian(a)", 0.3, 0.7) == Approx(6 * 0.3 - 4 * 0.3));
  CHECK(at("d(sin(a), x, 2)", 0.3, 0.7) == Approx([] {
          const double a = 0.027 - 2 * 0.3 * 0.49 + 0.7, b = 3 * 0.09 - 2 * 0.49;
          return std::cos(a) * 6 * 0.3 - std::sin(a) * b * b;
        }()));
  CHECK(at("g_x", 0.3, 0) == 2);
}

TEST_CASE("derivatives of tables by coordinates are printed as they are read",
          "[problem][tables]") {
  const Problem p = with_tables();
  for (const char* formula : {"a_x", "a_xy + a_yy", "d(a(y, x), y)", "a(x^2, y)", "g_x*u_x"}) {
    const ExpressionPtr e = expression(formula, {p});
    CHECK(same(*expression(print(*e, {p}), {p}), *e));
  }
  CHECK(print(*expression("a_xy", {p}), {p}) == "d(d(a(x, y), x), y)");
  CHECK(print(*expression("d(g(x^2), x)", {p}), {p}).starts_with("g'1(x^2)*"));
}

TEST_CASE("a table of a field asks the network for what its derivatives need",
          "[problem][tables]") {
  const Problem p = with_tables();
  const Needs all = needs(*expression("div(m*grad(u))", {p}));
  for (const MultiIndex& index : {MultiIndex{}, MultiIndex{1}, MultiIndex{2}, MultiIndex{0, 2}})
    CHECK(all.contains({0, index}));
  const Dependence on = dependence(*expression("a", {p}));
  CHECK(on.on(0));
  CHECK(on.on(1));
  CHECK_FALSE(on.on(2));
}

TEST_CASE("a solution in the place of a field is one in the arguments of tables",
          "[problem][tables]") {
  const Problem p = with_tables();
  const auto u = expression("x^2", {p, Scope::Use::formula});
  const ExpressionPtr filled = substitute_fields(expression("d(m(u), x)", {p}), {u, nullptr});
  const double place[] = {0.6, 0, 0};
  CHECK(evaluate(*filled, {.coordinates = place}) ==
        Approx((*p.functions[2].table)({{0.36}}, {1}) * 1.2));
}

TEST_CASE("what a table takes on a box is bounded by what it is at knots and between",
          "[problem][tables]") {
  const Problem p = with_tables();
  const RangeEvaluator range(*expression("g + x", {p, Scope::Use::formula}));
  const std::vector<Interval> box = {{0, 1}, {0, 1}, {0, 2}};
  const Interval found = range(box);
  CHECK(found.lower <= 1);
  CHECK(found.upper >= 6);
}

TEST_CASE("mistakes in calls of tables are told", "[problem][tables]") {
  CHECK_THAT(mistake("a(x)"), Contains("'a' has 1 argument, and is a table of 2") &&
                                  Contains("write a(x, y), with any formula for each"));
  CHECK_THAT(mistake("u*c"), Contains("'c' alone is no formula: 'T' is no coordinate") &&
                                 Contains("call it, as in c(...)"));
  CHECK_THAT(mistake("m", Scope::Use::formula), Contains("'u' is a field"));
  CHECK_THAT(mistake("a(0.5, 0.5)", Scope::Use::constant), Contains("'a' is a function from data"));
  CHECK_THAT(mistake("u*f_x"), Contains("'f' is a table of nearest values: it has no derivative"));
  CHECK_THAT(mistake("f(u)"), Contains("training would see no slope"));
  CHECK_THAT(mistake("d(a, x, 3)"), Contains("its third derivative jumps at every knot"));
  CHECK_THAT(mistake("u + c(3)"), Contains("'c' is asked for at T = 3, and knows it from 0 to 1"));
  CHECK_THAT(mistake("u + aa(x)"), Contains("there is no function 'aa'"));
}

TEST_CASE("a linear table under a second derivative is warned of", "[problem][tables]") {
  const Problem p = with_tables();
  Warnings warnings;
  parse_expression(text("g_x*u_x"), {p}, warnings);
  CHECK(warnings.empty());
  parse_expression(text("g_xx"), {p}, warnings);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0].what, Contains("its second derivative is 0 in every cell"));
}

TEST_CASE("coordinates beyond a table are found before training, with the place",
          "[problem][tables]") {
  Problem p = with_tables();
  p.periodic.assign(3, false);
  const auto region = interior(p);
  const auto known = [&](const std::string& formula) {
    return message([&] { require_known(text(formula), *expression(formula, {p}), *region, p); });
  };
  CHECK(known("a(x, y) + g") == "no error");
  CHECK_THAT(known("u*a(x + 0.5, y)"),
             Contains("'a' is asked for at x = 1.5, and knows it from 0 to 1") &&
                 Contains("that is at x = 1,") && Contains("write outside = \"clamp\""));
  CHECK_THAT(known("a(x, t)"), Contains("'a' is asked for at y = 2"));
  CHECK(known("m(2*u)") == "no error");  // of a field nothing is known yet
  Warnings none;
  const PointFormula weight("weight", text("g(2*x)"), PointFormula::Sign::positive, p, none);
  CHECK_THAT(message([&] { weight.check(*region); }), Contains("'g' is asked for at x = "));
}

TEST_CASE("names of functions are names like others", "[problem][tables]") {
  const Problem p = with_tables();
  CHECK_THAT(mistake("q_u"), Contains("functions a, c, m, f, g"));
  CHECK_THAT(mistake("u + bb"), Contains("is not declared"));
  CHECK(expression("a_x", {p})->kind != Expression::Kind::derivative);  // known at points already
}
