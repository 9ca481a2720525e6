#include "solvers/problem/checks.h"

#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;

namespace {

using Names = std::vector<std::string>;

void hard(Problem& p, const std::string& output) {
  p.outputs = {expression(output, {p, Scope::Use::output})};
}

/// The first contradiction of a condition with a hard constraint of u, or nothing.
std::string contradiction(const std::string& output, const std::string& on,
                          const std::string& formula) {
  Problem p = burgers();
  p.unknowns = {{"k", 2, {}, {}, false}};
  condition(p, "asked", on, formula);
  hard(p, output);
  const Warnings found = contradictions(p);
  return found.empty() ? "" : found[0].what;
}

}  // namespace

TEST_CASE("conditions that a hard constraint makes exact are named", "[problem]") {
  Problem p = burgers();
  condition(p, "start", "t = 0", "u = -sin(pi*x)");
  condition(p, "rest", "t = 0", "u_t = 0");
  condition(p, "walls", "boundary", "u = 0");
  condition(p, "free", "x = 1", "u_n = 0");
  CHECK(exact_residuals(p).empty());
  p.outputs = {expression("-sin(pi*x) + t*(1 - x^2)*N", {p, Scope::Use::output})};
  CHECK(exact_residuals(p) == Names{"start", "walls"});
  p.outputs = {expression("-sin(pi*x) + t^2*(1 - x^2)*N", {p, Scope::Use::output})};
  CHECK(exact_residuals(p) == Names{"start", "rest", "walls"});
}

TEST_CASE("a condition that a hard constraint keeps from being met is a contradiction",
          "[problem]") {
  CHECK(contradiction("t*(1 - x^2)*N", "t = 0", "u = 2") ==
        "'asked' contradicts [network.output]: at x = -0.7639, t = 0 it is off by -2 whatever the "
        "network gives");
  CHECK(contradiction("t^2*N", "t = 0", "u_t = x + 3").find("off by -") != std::string::npos);
  CHECK(contradiction("(1 - x^2)*N", "boundary", "u = x").find("off by ") != std::string::npos);
  CHECK(contradiction("(1 - x)*N", "boundary", "u = 1").find("at x = 1,") != std::string::npos);

  Problem p = burgers();
  condition(p, "asked", "t = 0", "u = 2");
  hard(p, "t*N");
  REQUIRE(contradictions(p).size() == 1);
  CHECK(contradictions(p)[0].where == "p.toml:3:13");
  CHECK(contradictions(p)[0].fix ==
        "let the hard constraint have the value that this asks for, or remove one of them");
}

TEST_CASE("a condition that is met, can be met, or tells an unknown is no contradiction",
          "[problem]") {
  CHECK(contradiction("t*(1 - x^2)*N", "t = 0", "u = 0") == "");
  CHECK(contradiction("sin(pi*x) + t*N", "t = 0", "u = sin(3.1415926536*x)") == "");
  CHECK(contradiction("t*N", "t = 0", "u_t = 7") == "");
  CHECK(contradiction("t*N", "t = 1", "u = 7") == "");
  CHECK(contradiction("t*N", "x = 1", "u = 7") == "");  // but for one corner
  CHECK(contradiction("max(N, 0)", "x = 1", "u = 7") == "");
  CHECK(contradiction("x + t*N", "t = 0", "u = k*x") == "");  // k = 1
  Problem p = burgers();
  condition(p, "asked", "t = 0", "u = 2");
  CHECK(contradictions(p).empty());
}
