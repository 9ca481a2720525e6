// Conditions within a domain that leave a smooth solution no room.
#include "solvers/problem/checks.h"
#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// u on x in [-1, 1], t in [0, 1], held at both walls, and what is asked within.
Problem held(const std::string& law, const std::string& within, const std::string& value) {
  Problem p = burgers();
  p.outputs.resize(1);
  p.periodic.resize(2);
  p.requirements.clear();
  equation(p, "law", law);
  condition(p, "start", "t = 0", "u = 0");
  condition(p, "walls", "boundary", "u = 0");
  condition(p, "within", within, value);
  return p;
}

std::string told_of(const Problem& p) {
  const Warnings warnings = crowded_planes(p);
  return warnings.empty() ? "" : warning_text(warnings[0]);
}

}  // namespace

TEST_CASE("a value within that the equations have no room for is warned of with the pieces",
          "[problem]") {
  CHECK_THAT(
      told_of(held("u_t = u_xx", "x = 0.25", "u = sin(2*t)")),
      Contains("warning: 'within' asks for 1 at x = 0.25, within the domain, where the ends of x "
               "are asked for 2 already and the equations take 2") &&
          Contains("[problem.fields.u] network = { low = \"low\", high = \"high\" }") &&
          Contains("low = { interval = { range = [-1, 0.25] } } and high = \"box - low\"") &&
          Contains("residual = [\"side(u - sin(2*t), low) = 0\", \"side(u - sin(2*t), high) = "
                   "0\"]"));
}

TEST_CASE("of a beam that is held within, what goes on across is written out", "[problem]") {
  Problem p = held("u_tt + u_xxxx = 1", "x = 0", "u = 0");
  condition(p, "clamps", "boundary", "u_x = 0");
  CHECK_THAT(told_of(p), Contains("where the ends of x are asked for 4 already") &&
                             Contains("\"side(u, low) = 0\", \"side(u, high) = 0\", \"jump(u_x) = "
                                      "0\", \"jump(u_xx) = 0\"]"));
}

TEST_CASE("a value within is no matter where there is room for it", "[problem]") {
  CHECK(told_of(held("u_t = u_xx", "x = 1", "u = 0")).empty());
  CHECK(told_of(held("u_t = u_xx", "t = 0.5", "u = 0")).empty());
  CHECK(told_of(held("u_tt + u_xxxx = 1", "x = 0", "u = 0")).empty());
  Problem open = held("u_t = u_xx", "x = 0", "u = t");
  std::erase_if(open.requirements, [](const Requirement& r) { return r.name == "walls"; });
  CHECK(told_of(open).empty());
  Problem measured = held("u_t = u_xx", "x = 0", "u = t");
  data(measured, "readings", "u = seen", {{0.5, 0.5, 1}});
  CHECK(told_of(measured).empty());
  Problem found = held("u_t = u_xx", "x = 0", "u = t");
  found.unknowns = {{"k", 1, {}, {}}};
  CHECK(told_of(found).empty());
}

TEST_CASE("a value within that fixes what is open else is no matter", "[problem]") {
  Problem p = burgers();
  p.coordinates.pop_back();
  p.outputs.resize(1);
  p.periodic.resize(1);
  p.requirements.clear();
  equation(p, "law", "u_xx = x");
  condition(p, "slopes", "boundary", "u_x = 0.5");
  condition(p, "pin", "x = 0", "u = 0");
  CHECK(told_of(p).empty());
}
