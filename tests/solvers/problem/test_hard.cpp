#include "solvers/problem/hard.h"

#include <fmt/format.h>

#include <cmath>

#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;
using pinn::test::larger;

namespace {

using Names = std::vector<std::string>;

/// The transform of the first field as text; empty where it has none.
std::string form(const Problem& p) {
  const HardConditions found = hard_conditions(p);
  return found.outputs[0] ? print(*found.outputs[0], {p, Scope::Use::output}) : "";
}

std::string why_soft(const Problem& p, const std::string& name) {
  for (const Soft& soft : hard_conditions(p).soft)
    if (soft.name == name) return soft.why;
  return "";
}

Problem two_by_one() {
  Problem p;
  p.coordinates = {{"x", 0, 1, Role::space, ""}, {"y", 0, 2, Role::space, ""}};
  p.fields = {{"u", "", 1}};
  p.periodic = {false, false};
  equation(p, "laplace", "laplacian(u) = 0");
  return p;
}

/// How far the residuals of conditions are from 0 with a network that satisfies nothing by chance.
double furthest_off(Problem p) {
  p.outputs = hard_conditions(p).outputs;
  double far = 0;
  for (const Requirement& r : p.requirements)
    for (const Residual& residual : r.residuals)
      for (const Region* part : r.region->parts())
        if (r.kind == Requirement::Kind::condition)
          for (const double off :
               values_on(*part, *with_fields(residual.expression, possible_fields(p, 1)), {}))
            far = larger(far, std::fabs(off));
  return far;
}

Requirement periodic(int coordinate, int order) {
  Requirement r;
  r.kind = Requirement::Kind::condition;
  r.name = "circle";
  r.periodic = Periodicity{coordinate, order};
  return r;
}

}  // namespace

TEST_CASE("values at the start and on walls become the form of a field", "[problem]") {
  Problem p = burgers();
  condition(p, "start", "t = 0", "u = -sin(pi*x)");
  condition(p, "walls", "boundary", "u = 0");
  CHECK(form(p) == "-sin(3.141592653589793*x) + t*(x + 1)*(1 - x)*N");
  CHECK(hard_conditions(p).exact == Names{"start", "walls"});
  CHECK(hard_conditions(p).soft.empty());
  CHECK(furthest_off(p) <= 1e-12);
}

TEST_CASE("a speed at the start is exact by the two_by_one of time", "[problem]") {
  Problem p = burgers();
  condition(p, "start", "t = 0", "u = cos(pi*x)");
  condition(p, "push", "t = 0", "2*u_t = 4*sin(pi*x)");
  condition(p, "walls", "boundary", "u + 1 = 0");
  CHECK(hard_conditions(p).exact == Names{"start", "push", "walls"});
  CHECK(furthest_off(p) <= 1e-12);
}

TEST_CASE("values that change along all faces of a box are blended from them", "[problem]") {
  Problem p = two_by_one();
  condition(p, "walls", "boundary", "u = exp(x)*sin(3*y) + x*y^2");
  CHECK(hard_conditions(p).exact == Names{"walls"});
  CHECK(furthest_off(p) <= 1e-12);
  // Values known on faces are not carried inside as a formula: there the form is another one.
  p.outputs = hard_conditions(p).outputs;
  const auto inside = substitute_fields(residual("u - exp(x)*sin(3*y) - x*y^2", {p}),
                                        {substitute_fields(p.outputs[0], {}, make_number(0))});
  CHECK(std::fabs(evaluate(*inside, {.coordinates = std::vector<double>{0.5, 1}})) > 0.01);
}

TEST_CASE("walls that move are met from their start on", "[problem]") {
  Problem p = burgers();
  condition(p, "start", "t = 0", "u = x^2");
  condition(p, "left", "x = -1", "cos(t) - u");
  condition(p, "right", "x = 1", "u/2 = (1 + t^3)/2");
  CHECK(hard_conditions(p).exact == Names{"start", "left", "right"});
  CHECK(furthest_off(p) <= 1e-12);
}

TEST_CASE("conditions that disagree in a corner stay in the loss, and it is said where",
          "[problem]") {
  Problem p = two_by_one();
  condition(p, "lid", "y = 2", "u = 1");
  condition(p, "left", "x = 0", "u = 0");
  CHECK(form(p).empty());
  CHECK(why_soft(p, "lid") == "it disagrees with left at x = 0, y = 2, by 1");
  CHECK(why_soft(p, "left") == "it disagrees with lid at x = 0, y = 2, by 1");

  condition(p, "floor", "y = 0", "u = 0.001*x");  // agrees with the left wall
  CHECK(hard_conditions(p).exact == Names{"floor"});
}

TEST_CASE("a start with a kink, a jump or a pole stays in the loss", "[problem]") {
  for (const std::string value : {"max(x - 0.4, 0)", "abs(2*x - 1)", "where(x > 0.5, 1, 0)",
                                  "1/(x - 0.3)", "sqrt((x - 0.2)^2)"}) {
    INFO(value);
    Problem p = two_by_one();
    condition(p, "floor", "y = 0", "u = " + value);
    CHECK(form(p).empty());
    CHECK_THAT(why_soft(p, "floor"),
               Contains("its value is not as smooth as the equations ask: it"));
  }
  for (const std::string value : {"max(x - 2, 0)", "abs(x)", "1/(x + 0.1)", "sqrt(x + 1)", "x^3",
                                  "relu(x - 0.4)^3", "cos(abs(x - 0.4))"}) {
    INFO(value);
    Problem p = two_by_one();
    condition(p, "floor", "y = 0", "u = " + value);
    CHECK(hard_conditions(p).exact == Names{"floor"});
  }
}

TEST_CASE("a start is as smooth as the equations ask along it, or stays in the loss", "[problem]") {
  const auto exact = [](const std::string& law, const std::string& value) {
    Problem p = burgers();
    p.requirements.clear();
    equation(p, "law", law);
    condition(p, "start", "t = 0", "u = " + value);
    return !form(p).empty();
  };
  CHECK(exact("u_t = -u", "abs(x - 0.4)"));
  CHECK_FALSE(exact("u_t = -u", "sign(x - 0.4)"));
  CHECK(exact("u_t = -u_x", "relu(x)^2"));
  CHECK_FALSE(exact("u_t = -u_x", "abs(x - 0.4)"));
  CHECK_FALSE(exact("u_t = u_xx", "relu(x)^2"));
  CHECK(exact("u_t = u_xx", "relu(x)^3"));
  CHECK_FALSE(exact("u_t = u_xxx", "relu(x)^3"));
  CHECK_FALSE(exact("u_t = at(u_xxx, x = 0)", "relu(x)^3"));
}

TEST_CASE("a wall that changes with a kink in time stays in the loss", "[problem]") {
  Problem p = burgers();
  condition(p, "inlet", "x = -1", "u = min(t, 0.3)");
  CHECK(why_soft(p, "inlet") ==
        "its value is not as smooth as the equations ask: its derivative of order 1 along t jumps "
        "at t = 0.3, by min(t, 0.3)");
  CHECK(hard_conditions(p).soft[0].rough);
}

TEST_CASE("values of a table are exact where it has the derivatives that are asked", "[problem]") {
  const auto why = [](Interpolation kind, const std::string& law) {
    Problem p = burgers();
    p.requirements.clear();
    equation(p, "law", law);
    p.functions = {
        {"T",
         grid_table({"T", {"x"}, kind, Outside::error}, {{-1, -0.2, 0.3, 0.6, 1}}, {0, 2, 1, 3, 0}),
         {make_leaf(Expression::Kind::coordinate, 0)},
         "T.csv"}};
    condition(p, "start", "t = 0", "u = T");
    return why_soft(p, "start");
  };
  CHECK(why(Interpolation::cubic, "u_t = u_xx") == "");
  CHECK_THAT(why(Interpolation::cubic, "u_t = u_xxx"), Contains("order 3 along x jumps at x = "));
  CHECK_THAT(why(Interpolation::linear, "u_t = u_xx"),
             Contains("order 1 along x jumps at x = -0.2, by the table 'T'"));
  CHECK_THAT(why(Interpolation::linear, "u_t = u_x"), Contains("order 1 along x"));
  CHECK(why(Interpolation::linear, "u_t = -u") == "");
  CHECK_THAT(why(Interpolation::nearest, "u_t = -u"), Contains("it jumps at x = "));
}

TEST_CASE("a value that has none at a corner stays in the loss", "[problem]") {
  Problem p = two_by_one();
  condition(p, "floor", "y = 0", "u = log(x)*(1 - x)");
  CHECK(why_soft(p, "floor") == "its value is undefined at x = 0, y = 0");
}

TEST_CASE("a pulse is left to the network, unless it is asked for by name", "[problem]") {
  const auto pulse = [](const std::string& law, double width) {
    Problem p = burgers();
    p.requirements.clear();
    equation(p, "law", law);
    condition(p, "start", "t = 0", fmt::format("u = exp(-((x + 0.4)/{})^2)", width));
    return p;
  };
  // widths of a domain of length 2
  CHECK_THAT(why_soft(pulse("u_t = u_xx", 0.06), "start"),
             Contains("its value changes along x in 0.096 of the domain only"));
  CHECK(why_soft(pulse("u_t = u_xx", 0.12), "start") == "");
  CHECK(why_soft(pulse("u_t = -u_x", 0.12), "start") != "");
  CHECK(why_soft(pulse("u_t = -u_x", 0.24), "start") == "");
  const Problem named = pulse("u_t = u_xx", 0.06);
  CHECK(hard_conditions(named, {"start"}).exact == Names{"start"});
  for (const std::string value : {"sin(30*pi*x)", "x^2*cos(pi*x)", "1", "tanh(3*x)"}) {
    Problem p = burgers();
    condition(p, "start", "t = 0", "u = " + value);
    INFO(value);
    CHECK(hard_conditions(p).exact == Names{"start"});
  }
  Problem front = burgers();
  condition(front, "start", "t = 0", "u = tanh(50*x)");
  CHECK_THAT(why_soft(front, "start"), Contains("of the domain only"));
  Problem faint = burgers();  // beside what is large
  condition(faint, "start", "t = 0", "u = 1");
  condition(faint, "left", "x = -1", "u = 1 + 1e-5*exp(-((t - 0.5)/0.02)^2)");
  CHECK(faint.requirements.size() == 3);
}

TEST_CASE("a lid that fades out towards the walls is exact", "[problem]") {
  Problem p = two_by_one();
  condition(p, "lid", "y = 2", "u = 4*x*(1 - x)");
  condition(p, "left", "x = 0", "u = 0");
  condition(p, "right", "x = 1", "u = 0");
  CHECK(hard_conditions(p).exact == Names{"lid", "left", "right"});
  CHECK(furthest_off(p) <= 1e-12);
}

TEST_CASE("a speed that the walls do not have stays in the loss, and they do not", "[problem]") {
  Problem p = burgers();
  condition(p, "start", "t = 0", "u = 0");
  condition(p, "push", "t = 0", "u_t = 1");
  condition(p, "walls", "boundary", "u = 0");
  CHECK(hard_conditions(p).exact == Names{"start", "walls"});
  CHECK(why_soft(p, "push") == "it disagrees with walls at x = -1, t = 0, by 1");
}

TEST_CASE("what is not FIELD = FORMULA on whole faces stays in the loss", "[problem]") {
  Problem p = burgers();
  p.unknowns = {{"k", 2, {}, {}, false}};
  condition(p, "half", "t = 0 and x < 0", "u = 0");
  condition(p, "two_by_one", "t = 0", "u^2 = 1");
  condition(p, "unknown", "x = 1", "u = k");
  condition(p, "slope", "x = 1", "u_t = 0");
  condition(p, "robin", "x = 1", "u_x + u = 0");
  condition(p, "vanishing", "x = -1", "t*u = 0");
  condition(p, "speed", "t = 0", "u_t = 0");
  CHECK(form(p).empty());
  CHECK(why_soft(p, "half") == "it asks elsewhere than on whole faces of the domain");
  CHECK(why_soft(p, "two_by_one") == "it does not say what the field is: it is no FIELD = FORMULA");
  CHECK(why_soft(p, "unknown") == "its value holds an unknown");
  CHECK(why_soft(p, "slope") ==
        "it asks for a derivative, but not for the first one across the face");
  CHECK(why_soft(p, "robin") == "it ties several fields or derivatives to one another");
  CHECK_THAT(why_soft(p, "vanishing"), Contains("no FIELD = FORMULA"));
  CHECK(why_soft(p, "speed") == "the value at t = 0 is not exact either");
}

TEST_CASE("every field of a system is looked at by itself", "[problem]") {
  Problem p = burgers();
  p.fields.push_back({"v", "", 1});
  condition(p, "start", "t = 0", "u = 1");
  condition(p, "left", "x = -1", "u = 2");
  condition(p, "other", "t = 0", "v = x");
  const HardConditions found = hard_conditions(p);
  CHECK(found.outputs[0] == nullptr);
  REQUIRE(found.outputs[1] != nullptr);
  CHECK(print(*found.outputs[1], {p, Scope::Use::output}) == "x + t*N");
}

TEST_CASE("a periodic condition becomes an embedding, if what is given is periodic", "[problem]") {
  Problem p = burgers();
  p.periodic = {false, false};
  condition(p, "start", "t = 0", "u = cos(pi*x)");
  p.requirements.push_back(periodic(0, 1));
  CHECK(hard_conditions(p).periodic == std::vector<bool>{true, false});
  CHECK(form(p) == "cos(3.141592653589793*x) + t*N");

  p.requirements[1] = requirement(p, Requirement::Kind::condition, "start", "t = 0", "u = x^2");
  CHECK(hard_conditions(p).exact == Names{"circle"});
  CHECK(why_soft(p, "start") ==
        "x is periodic, and its derivative of order 1 differs at the two ends by 4");
}

TEST_CASE("what is periodic to rounding, relative to its size, fits the embedding", "[problem]") {
  const std::string formula =
      GENERATE("u = sin(40*pi*x)", "u = cos(30*pi*x) + sin(30*pi*x)", "u = 1e8*cos(pi*x + 0.3)",
               "u = exp(sin(20*pi*x))", "u = 1e-10*sin(10*pi*x)");
  const int order = GENERATE(1, 3, 5);
  INFO(formula << " up to order " << order);
  Problem p = burgers();
  p.periodic = {false, false};
  condition(p, "start", "t = 0", formula);
  p.requirements.push_back(periodic(0, order));
  CHECK(why_soft(p, "start") == "");
  CHECK(hard_conditions(p).exact == Names{"start", "circle"});
}

TEST_CASE("what is not periodic is told of however small or large it is", "[problem]") {
  const double scale = GENERATE(1e-9, 1.0, 1e9);
  const auto [formula, order] =
      GENERATE(table<std::string, int>({{"x", 1},
                                        {"x^2", 1},
                                        {"cos(pi*x) + 1e-6*x", 1},
                                        {"cos(pi*x) + 1e-6*x^2", 1},
                                        {"sin(3*pi*x) + 1e-4*x^4 - 2e-4*x^2", 3}}));
  INFO(formula << " times " << scale);
  Problem p = burgers();
  p.periodic = {false, false};
  condition(p, "start", "t = 0", fmt::format("u = {}*({})", scale, formula));
  p.requirements.push_back(periodic(0, order));
  CHECK_THAT(why_soft(p, "start"),
             Contains("x is periodic, and its") && Contains("differs at the two ends by"));
}

TEST_CASE("conditions that meet are held against their own size", "[problem]") {
  const double size = GENERATE(1e-9, 1e9);
  INFO("values of " << size);
  Problem p = burgers();
  condition(p, "start", "t = 0", fmt::format("u = {}*sin(9*pi*x)", size));
  condition(p, "walls", "boundary", "u = 0");
  CHECK(hard_conditions(p).exact == Names{"start", "walls"});
  p.requirements.pop_back();
  condition(p, "walls", "boundary", fmt::format("u = {}", size));
  CHECK_THAT(why_soft(p, "start"), Contains("it disagrees with walls at x = -1, t = 0"));
}

TEST_CASE("a periodic condition that leaves jumps, or has others on its faces, stays",
          "[problem]") {
  Problem p = burgers();
  p.periodic = {false, false};
  p.requirements.push_back(periodic(0, 0));
  CHECK_THAT(why_soft(p, "circle"), Contains("room for jumps"));
  p.requirements.back() = periodic(0, 1);
  condition(p, "walls", "boundary", "u = 0");
  CHECK(why_soft(p, "circle") == "walls asks something of the face x = -1");
}

TEST_CASE("with windows of time the walls alone are exact", "[problem]") {
  Problem p = burgers();
  condition(p, "start", "t = 0", "u = 0");
  condition(p, "walls", "boundary", "u = 0");
  const HardConditions found = hard_conditions(p, {}, true);
  CHECK(found.exact == Names{"walls"});
  REQUIRE(found.soft.size() == 1);
  CHECK(found.soft[0].why == "every window but the first begins with the end of the one before");
}

TEST_CASE("only conditions that are named are looked at", "[problem]") {
  Problem p = burgers();
  condition(p, "start", "t = 0", "u = 1");
  condition(p, "left", "x = -1", "u = 2");
  const HardConditions found = hard_conditions(p, {"left"});
  CHECK(found.exact == Names{"left"});
  CHECK(found.soft.empty());
}
