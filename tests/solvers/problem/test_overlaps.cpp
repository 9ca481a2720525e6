#include "solvers/problem/checks.h"
#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

Problem unit_square() {
  Problem p;
  p.coordinates = {{"x", 0, 1, Role::space, ""}, {"y", 0, 2, Role::space, ""}};
  p.fields = {{"u", "", 1}, {"v", "", 1}};
  p.periodic = {false, false};
  equation(p, "laplace", "laplacian(u) + v = 0");
  return p;
}

}  // namespace

TEST_CASE("conditions with other values on a shared wall contradict each other", "[problem]") {
  Problem p = unit_square();
  condition(p, "walls", "boundary", "u = 0");
  condition(p, "lid", "y = 2 and x > 0.5", "2*u = 1 + x");
  const auto found = overlaps(p);
  REQUIRE(found.size() == 1);
  CHECK((found[0].a == "walls" && found[0].b == "lid"));
  CHECK(found[0].gap == Approx(1).margin(0.02));  // (1 + x) / 2 at x = 1
  const Warnings warnings = contradictory_conditions(p);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0].what,
             Contains("'walls' and 'lid' contradict each other") && Contains("y = 2"));
  CHECK(overlaps_text(p).empty());
}

TEST_CASE("conditions that ask the same are told of, and no warning", "[problem]") {
  Problem p = unit_square();
  condition(p, "walls", "boundary", "u = x");
  condition(p, "lid", "y = 2", "3*x = 3*u");
  CHECK(contradictory_conditions(p).empty());
  CHECK(overlaps_text(p) == "  walls and lid ask the same on a piece that they share\n");
}

TEST_CASE("walls that meet in a corner share no piece", "[problem]") {
  Problem p = unit_square();
  condition(p, "left", "x = 0", "u = 0");
  condition(p, "lid", "y = 2", "u = 1");
  CHECK(overlaps(p).empty());
}

TEST_CASE("conditions on other fields or derivatives do not overlap", "[problem]") {
  Problem p = unit_square();
  condition(p, "value", "x = 0", "u = 0");
  condition(p, "slope", "x = 0", "u_x = 1");
  condition(p, "other", "x = 0", "v = 2");
  condition(p, "both", "x = 0", "u + v = 3");
  condition(p, "curved", "x = 0", "u^2 = 4");
  CHECK(overlaps(p).empty());
}

TEST_CASE("fluxes with other values on a shared wall contradict each other", "[problem]") {
  Problem p = unit_square();
  condition(p, "out", "x = 1", "u_n = 1");
  condition(p, "also", "boundary", "u_n = 2");
  REQUIRE(overlaps(p).size() == 1);
  CHECK(overlaps(p)[0].gap == Approx(1));
}
