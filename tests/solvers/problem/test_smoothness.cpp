// How often formulas can be differentiated within the domain.
#include "solvers/problem/smoothness.h"

#include "data/tables/scattered_table.h"
#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

TablePtr table_of(const std::string& name, Interpolation kind, Outside outside,
                  const std::vector<double>& values) {
  std::vector<double> knots;
  for (std::size_t k = 0; k < values.size(); ++k)
    knots.push_back(double(k) / double(values.size() - 1));
  return grid_table({name, {"a"}, kind, outside}, {knots}, values);
}

TablePtr scattered(const std::string& name, Interpolation kind) {
  std::vector<double> points, values;
  for (int k = 0; k < 60; ++k) {
    const double x = std::fmod(0.5 + 0.7548776662 * k, 1), y = std::fmod(0.5 + 0.569840291 * k, 1);
    points.insert(points.end(), {3 * x - 1, 3 * y - 1});
    values.push_back(x * x + y);
  }
  const TableOptions options{name, {"a", "b"}, kind, Outside::error};
  return kind == Interpolation::cubic ? polyharmonic_table(options, points, values)
                                      : planes_table(options, points, values);
}

/// x in [-1, 1] and y in [0, 1], with tables of one argument in [0, 1] and of two.
Problem with_tables() {
  Problem p;
  p.coordinates = {{"x", -1, 1, Role::space, ""}, {"y", 0, 1, Role::space, ""}};
  p.fields = {{"u", "", 1}};
  const std::vector<double> bent = {0, 2, 1, 3, 0}, straight = {0, 0.1, 0.2, 0.3, 0.4};
  for (const auto& [name, table] :
       {std::pair("lin", table_of("lin", Interpolation::linear, Outside::clamp, bent)),
        std::pair("cub", table_of("cub", Interpolation::cubic, Outside::error, bent)),
        std::pair("held", table_of("held", Interpolation::cubic, Outside::clamp, bent)),
        std::pair("near", table_of("near", Interpolation::nearest, Outside::error, bent)),
        std::pair("line", table_of("line", Interpolation::linear, Outside::error, straight)),
        std::pair("saw", table_of("saw", Interpolation::linear, Outside::periodic, bent)),
        std::pair("wave", table_of("wave", Interpolation::cubic, Outside::periodic, bent)),
        std::pair("planes", scattered("planes", Interpolation::linear)),
        std::pair("hills", scattered("hills", Interpolation::cubic))})
    p.functions.push_back({name, table, {}, "a.csv"});
  return p;
}

/// How often a formula can be differentiated by x and stays continuous, up to 4; -1: it jumps.
int derivatives_along_x(const std::string& formula) {
  const Problem p = with_tables();
  const Smoothness smoothness(p);
  const ExpressionPtr e = expression(formula, {p, Scope::Use::formula});
  int order = -1;
  while (order < 4 && !smoothness(e, {order + 1, -1})) ++order;
  return order;
}

std::string told(const std::string& formula, const std::vector<int>& orders) {
  const Problem p = with_tables();
  const auto rough = Smoothness(p)(expression(formula, {p, Scope::Use::formula}), orders);
  return rough ? rough_text(p, *rough) : "";
}

/// The message about a form of u under Burgers' equation, which asks for u_xx and u_t.
std::string wrong_form(const std::string& form, const std::string& equation_of = "") {
  Problem p = burgers();
  p.functions = with_tables().functions;
  if (!equation_of.empty()) {
    p.requirements.clear();
    equation(p, "law", equation_of);
  }
  p.outputs = {expression(form, {p, Scope::Use::output})};
  const std::vector<Report> reports = rough_forms(p);
  return reports.empty() ? "" : ConfigError(reports).what();
}

}  // namespace

TEST_CASE("a formula is as smooth as the least smooth place of it", "[problem]") {
  const std::vector<std::pair<std::string, int>> known = {{"where(x < 0.4, 1, 2)", -1},
                                                          {"sign(x - 0.4)", -1},
                                                          {"x >= 0.3", -1},
                                                          {"step(x*y - 0.1)", -1},
                                                          {"1/(x - 0.4)", -1},
                                                          {"1/(x - 0.4)^2", -1},
                                                          {"tan(3*x)", -1},
                                                          {"sqrt(x)", -1},
                                                          {"log(x)", -1},
                                                          {"log(x^2)", -1},
                                                          {"(x - 0.1)^1.5", -1},
                                                          {"abs(x - 0.4)", 0},
                                                          {"max(x, y)", 0},
                                                          {"min(x^2, 0.3)", 0},
                                                          {"relu(0.2 - x)", 0},
                                                          {"where(x < 0.4, x, 0.8 - x)", 0},
                                                          {"sqrt((x - 0.4)^2)", 0},
                                                          {"sqrt(x^2 + (y - 0.5)^2)", 0},
                                                          {"sqrt(abs(x - 0.4))", 0},
                                                          {"exp(-abs(x)/0.3)", 0},
                                                          {"sin(abs(x - y))", 0},
                                                          {"(x - 0.4)*abs(x - 0.4)", 1},
                                                          {"relu(x - 0.4)^2", 1},
                                                          {"where(x < 0.4, 0, (x - 0.4)^2*y)", 1},
                                                          {"relu(x - 0.4)^3", 2},
                                                          {"abs(x - 0.4)^2.5", 2},
                                                          {"relu(x*y - 0.1)^4", 3},
                                                          {"cos(3*abs(x))", 4},
                                                          {"abs(x)^4", 4},
                                                          {"abs(x + 2)", 4},
                                                          {"abs(x - 1)", 4},  // on the rim
                                                          {"sqrt(1.01 + x)", 4},
                                                          {"exp(sin(3*x))*y/(1.2 + x)", 4},
                                                          {"where(y > 0.5, x^2, x^3)", 4},
                                                          {"lin((x + 1)/2)", 0},
                                                          {"lin(x)", 0},
                                                          {"lin(y)*x", 4},
                                                          {"near((x + 1)/2)", -1},
                                                          {"line((x + 1)/2)", 4},
                                                          {"saw(x)", 0},
                                                          {"cub((x + 1)/2)", 2},
                                                          {"wave(2*x)", 2},
                                                          {"held(x)", 0},
                                                          {"d(cub((x + 1)/2), x)", 1},
                                                          {"planes(x, y)", 1},
                                                          {"hills(x, y)", 2}};
  for (const auto& [formula, derivatives] : known) {
    INFO(formula);
    CHECK(derivatives_along_x(formula) == derivatives);
  }
}

TEST_CASE("what makes a formula rough is told with its place", "[problem]") {
  CHECK(told("y + abs(x - 0.4)", {1, 1}) ==
        "its derivative of order 1 along x jumps at x = 0.4, by abs(x - 0.4)");
  CHECK(told("y*where(x < 0.4, 1, 2)", {0, 0}) == "it jumps at x = 0.4, by x < 0.4");
  CHECK(told("log(x - 0.5)", {0, 0}) == "it has no value at x = 0.5, by log(x - 0.5)");
  CHECK(told("x*lin(y)", {1, 1}) ==
        "its derivative of order 1 along y jumps at y = 0.25, by the table 'lin'");
  CHECK_THAT(told("planes(x, y)", {2, 0}), Contains("its derivative of order 2 along x jumps at"));
  CHECK(told("abs(sin(x) + cos(y)*exp(x)*sin(y) + cos(x)*exp(y)*sin(x) - 0.7)", {1, 0})
            .ends_with("by abs(...)"));
}

TEST_CASE("along a coordinate that nothing differentiates by a kink is none", "[problem]") {
  CHECK(told("abs(x - 0.4)*y", {0, 2}).empty());
  CHECK(told("where(x < 0.4, 1, 2)*y", {-1, 2}).empty());
  CHECK_FALSE(told("where(x < 0.4, 1, 2)*y", {0, 2}).empty());
}

TEST_CASE("a form with a kink where derivatives are asked for is refused", "[problem][errors]") {
  CHECK(wrong_form("0.5 - abs(x - 0.5) + t*N") ==
        "error: the form of u is not as smooth as what is asked of it: its derivative of order 1 "
        "along x jumps at x = 0.5, by abs(x - 0.5), which no point would see\n"
        "  where: network.output.u\n"
        "  fix:   leave it out of the form, and ask for the value by a [[condition]]; or write a "
        "smooth formula, such as sqrt(a^2 + 1e-4) for abs(a) and softplus(50*a)/50 for relu(a)");
  CHECK_THAT(wrong_form("lin((x + 1)/2) + t*N"),
             Contains("by the table 'lin'") && Contains("interpolation = \"cubic\""));
  for (const std::string form :
       {"abs(t - 0.3)*x*N", "where(x < 0, 1, 2)*N", "x + relu(x)^2*N", "max(x, t)*N",
        "near((x + 1)/2) + t*N", "saw(t)*N", "N/(x - 0.2)", "sign(x)*N"}) {
    INFO(form);
    CHECK_THAT(wrong_form(form), Contains("is not as smooth as what is asked of it"));
  }
}

TEST_CASE("a form with a kink of the network's output is refused", "[problem][errors]") {
  CHECK(wrong_form("abs(N)") ==
        "error: the form of u is not as smooth as what is asked of it: its derivative of order 1 "
        "along N jumps at N = 0, by abs(N), which no point would see\n"
        "  where: network.output.u\n"
        "  fix:   write exp(N), softplus(N) or N^2 for what is not to be negative, a + (b - "
        "a)*sigmoid(N) for what lies between a and b: they have all derivatives");
  for (const std::string form : {"max(N, 0)", "relu(N)", "x + t*abs(1 + N)", "min(N, 2)",
                                 "relu(N)^2", "max(N, x)", "where(N > 0, N, 0)"}) {
    INFO(form);
    CHECK_THAT(wrong_form(form), Contains("is not as smooth as what is asked of it"));
  }
}

TEST_CASE("a form that is as smooth as is asked is taken", "[problem]") {
  for (const std::string form :
       {"-sin(pi*x) + t*(1 - x^2)*N", "exp(N)", "3*sigmoid(N)", "softplus(N)", "N^2", "abs(N)^3",
        "relu(x)^3 + t*N", "cub((x + 1)/2) + t*N", "abs(x - 1)*N", "abs(x)^2*N", "1/(1.5 + N^2)",
        "x/sqrt(1 + x^2*(exp(10*t) - 1)) + t*N", "sqrt(N^2 + 1)", "1/(3 + N)"}) {
    INFO(form);
    CHECK(wrong_form(form) == "");
  }
  CHECK(wrong_form("abs(x) + t*N", "u_t = -u") == "");
  CHECK(wrong_form("abs(N)", "u = x*t") == "");
  CHECK_FALSE(wrong_form("abs(x) + t*N", "u_t = -u_x").empty());
}
