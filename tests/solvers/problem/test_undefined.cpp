// Formulas without values, and powers of what may be negative.
#include "solvers/problem/checks.h"
#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// u on x in [0, 1], y in [0, 2], with an equation.
Problem plain(const std::string& law = "laplacian(u) = 1") {
  Problem p;
  p.coordinates = {{"x", 0, 1, Role::space, ""}, {"y", 0, 2, Role::space, ""}};
  p.fields = {{"u", "", 1}, {"v", "", 1}};
  equation(p, "law", law);
  return p;
}

std::string told(const Problem& p) {
  const std::vector<Report> reports = undefined_values(p);
  return reports.empty() ? "" : ConfigError(reports).what();
}

std::string of_condition(const std::string& on, const std::string& formula) {
  Problem p = plain();
  condition(p, "wall", on, formula);
  return told(p);
}

std::string powers(const std::string& law) {
  const Warnings warnings = negative_powers(plain(law));
  return warnings.empty() ? "" : warning_text(warnings[0]);
}

}  // namespace

TEST_CASE("a value that is undefined where it is asked is told with its limit",
          "[problem][errors]") {
  CHECK_THAT(of_condition("x = 0", "u = x*log(x)"),
             Contains("error: 'wall' has no value at x = 0, y = ") &&
                 Contains(": x*log(x) is nan there") &&
                 Contains("fix:   its limit there is 0: write where(x > 0, x*log(x), 0) if that"));
  CHECK_THAT(of_condition("x = 0", "2*u - y = sin(x)/x"),
             Contains("its limit there is 1: write where(x > 0, sin(x)/x, 1)"));
  CHECK_THAT(of_condition("x = 1", "u = log(x)/(x - 1)"),
             Contains("its limit there is 1: write where(x < 1, log(x)/(x - 1), 1)"));
  CHECK_THAT(of_condition("x = 0.5", "u = sin(2*x - 1)/(x - 0.5)"),
             Contains("its limit there is 2: write where(abs(x - 0.5) > 1e-9"));
  CHECK_THAT(of_condition("x = 0", "u = 1/x"),
             Contains("1/x is infinite there") && Contains("it has no limit there"));
  CHECK_THAT(of_condition("y = 0", "u = sqrt(x - 0.5)"), Contains("sqrt(x - 0.5) is nan there"));
}

TEST_CASE("a formula that no point meets where it is undefined is fine", "[problem]") {
  CHECK(told(plain("u_xx + u_x/x = log(x)*sin(y)/y")) == "");
  CHECK(of_condition("y = 0", "u = x*log(x)") == "");
  CHECK(of_condition("x = 0", "u = where(x > 0, x*log(x), 0)") == "");
  CHECK(of_condition("x = 0", "u = log(u + 3)*x") == "");
}

TEST_CASE("sources, coefficients and data without values are told", "[problem][errors]") {
  CHECK_THAT(told(plain("laplacian(u) = sqrt(x - y)")), Contains("sqrt(x - y) is nan there"));
  CHECK_THAT(told(plain("log(x - 0.5)*u_xx + u_yy = 0")), Contains("log(x - 0.5) is nan there"));
  CHECK_THAT(told(plain("d(sqrt(x - 0.5)*u_x, x) = 0")), Contains("is nan there"));
  Problem p = plain();
  data(p, "seen", "u/x = seen", {{0.5, 0.5, 1}, {0, 0.5, 1}});
  CHECK(told(p) == "");
  Problem q = plain();
  data(q, "seen", "u + 1/x = seen", {{0.5, 0.5, 1}, {0, 0.5, 1}});
  CHECK_THAT(told(q), Contains("'seen' has no value at x = 0, y = 0.5: 1/x is infinite there"));
}

TEST_CASE("a form without a value or slope where a condition asks for it is told",
          "[problem][errors]") {
  Problem p = plain();
  condition(p, "wall", "x = 0", "u_x = 0");
  p.outputs = {expression("sqrt(x)*N", {p, Scope::Use::output}), nullptr};
  CHECK_THAT(told(p), Contains("the form of u, or a derivative of it that 'wall' asks for, has no "
                               "value at x = 0, y = ") &&
                          Contains("where: network.output.u") &&
                          Contains("none of log(x), sqrt(x) and 1/x at x = 0"));
  p.outputs[0] = expression("x*N", {p, Scope::Use::output});
  CHECK(told(p) == "");
}

TEST_CASE("a power of a field that may be negative is warned of, with a form that is not",
          "[problem]") {
  CHECK_THAT(powers("u_x = (3 - v)^1.5*u^3.5"),
             Contains("warning: a root, a logarithm or a broken power is taken of 3 - v, u, which "
                      "the network may make negative: the loss is nan then") &&
                 Contains("fix:   write [network.output] u = \"exp(N)\", v = \"3 - exp(N)\""));
  CHECK_THAT(powers("u_x = (3 - v)^1.5*v^2.2"), Contains("v = \"3*sigmoid(N)\""));
  CHECK_THAT(powers("u_x = sqrt(u - 1) + log(4 - u)"), Contains("u = \"1 + 3*sigmoid(N)\""));
  CHECK_THAT(powers("u_x = log(2*u + 1)"), Contains("u = \"-0.5 + exp(N)\""));
  CHECK_THAT(powers("u_x = sqrt(u*v)"), Contains("such as exp(N)"));
}

TEST_CASE("powers that always have a value are not warned of", "[problem]") {
  for (const std::string law : {"u_x = u^3 + u^2 + u^(-1)", "u_x = sqrt(u_x^2 + u_y^2)",
                                "u_x = sqrt(u*u + v*v)", "u_x = abs(u)^1.5", "u_x = max(u, 0)^0.7",
                                "u_x = log(1 + u^2)", "u_x = sqrt(x)*u", "u_x = exp(u)^0.5"}) {
    INFO(law);
    CHECK(powers(law) == "");
  }
  Problem p = plain("u_x = sqrt(u) + log(3 - v)");
  p.outputs = {expression("exp(N)", {p, Scope::Use::output}),
               expression("3*sigmoid(N)", {p, Scope::Use::output})};
  CHECK(negative_powers(p).empty());
  p.outputs[0] = expression("1 + x*N", {p, Scope::Use::output});
  CHECK(negative_powers(p).size() == 1);
}
