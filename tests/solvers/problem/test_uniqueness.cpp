#include "solvers/problem/checks.h"

#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;

namespace {

/// u on x in [-1, 1], t in [0, 1], with one equation, u at its walls and at the start.
Problem started(const std::string& formula) {
  Problem p = burgers();
  p.requirements.clear();
  equation(p, "law", formula);
  condition(p, "walls", "boundary", "u = 0");
  condition(p, "start", "t = 0", "u = sin(pi*x)");
  return p;
}

/// Velocity and pressure in a square, the pressure known by its gradient.
Problem stokes() {
  Problem p;
  p.coordinates = {{"x", 0, 1, Role::space, ""}, {"y", 0, 2, Role::space, ""}};
  p.fields = {{"u", "", 1}, {"v", "", 1}, {"p", "", 1}};
  equation(p, "x_momentum", "laplacian(u) = p_x");
  equation(p, "y_momentum", "laplacian(v) = p_y");
  equation(p, "mass", "u_x + v_y = 0");
  condition(p, "lid", "boundary", "u = y");
  condition(p, "walls", "boundary", "v = 0");
  return p;
}

/// Heat in a rod over a coordinate that stands where t does.
Problem rod(const std::string& time, bool written = false, Role role = Role::space) {
  Problem p;
  p.coordinates = {{"x", 0, 1, Role::space, ""}, {time, 0, 3, role, "", written}};
  p.fields = {{"u", "", 1}};
  equation(p, "heat", "d(u, " + time + ") = u_xx");
  condition(p, "start", time + " = 0", "u = x");
  condition(p, "walls", "boundary", "u = 0");
  return p;
}

}  // namespace

TEST_CASE("an equation of second order in time without an initial velocity is warned of",
          "[problem]") {
  const Problem p = started("u_tt = u_xx");
  REQUIRE(missing_velocities(p).size() == 1);
  CHECK(
      warning_text(missing_velocities(p)[0]) ==
      "warning: the equations have u_tt, but nothing says what u_t is at t = 0\n"
      "  where: the conditions\n"
      "  fix:   add a [[condition]] with on = \"t = 0\" and residual = \"u_t = 0\", or what it is "
      "there");
  Problem third = started("u_ttt = u_xx");
  condition(third, "rest", "t = 0", "u_t = 0");
  REQUIRE(missing_velocities(third).size() == 1);
  CHECK(missing_velocities(third)[0].what ==
        "the equations have u_ttt, but nothing says what u_tt is at t = 0");
  Problem loose = started("u_tt = u_xx");
  loose.outputs = {expression("sin(pi*x) + t*N", {loose, Scope::Use::output})};
  CHECK(missing_velocities(loose).size() == 1);
  Problem late = started("u_tt = u_xx");
  condition(late, "later", "t = 0.5", "u_t = 0");
  CHECK(missing_velocities(late).size() == 1);
}

TEST_CASE("a velocity may be known by a condition, a hard constraint, data, or the end of time",
          "[problem]") {
  CHECK(missing_velocities(started("u_t = u_xx")).empty());
  CHECK(missing_velocities(started("u_xt + u_t = u_xx")).empty());
  Problem p = started("u_tt = u_xx");
  Problem asked = p;
  condition(asked, "rest", "initial", "u_t + u_x = 0");
  CHECK(missing_velocities(asked).empty());
  Problem hard = p;
  hard.outputs = {expression("sin(pi*x) + 3*t + t^2*N", {hard, Scope::Use::output})};
  CHECK(missing_velocities(hard).empty());
  Problem seen = p;
  data(seen, "seen", "u = seen", {{0.3, 0.2, 1}, {0.3, 0.4, 1}});
  CHECK(missing_velocities(seen).empty());
  Problem two_ends = p;
  condition(two_ends, "end", "t = 1", "u = 0");
  CHECK(missing_velocities(two_ends).empty());
  Problem cycle = p;
  cycle.periodic = {false, true};
  CHECK(missing_velocities(cycle).empty());
  Problem steady = p;
  steady.coordinates[1].role = Role::space;  // then it is no time
  CHECK(missing_velocities(steady).empty());
}

TEST_CASE("a field of which only derivatives are asked for is warned of", "[problem]") {
  const Problem p = stokes();
  REQUIRE(open_constants(p).size() == 1);
  CHECK(
      warning_text(open_constants(p)[0]) ==
      "warning: 'p' is determined up to a constant only: everything asks for its derivatives, and "
      "nothing for p itself\n"
      "  where: the equations and conditions\n"
      "  fix:   pin it at a point: a [[condition]] with on = \"x = 0 and y = 0\" and residual = "
      "\"p = 0\"");

  Problem insulated = burgers();
  insulated.requirements.clear();
  equation(insulated, "source", "u_xx = cos(pi*x)");
  condition(insulated, "walls", "boundary", "u_n = 0");
  CHECK(open_constants(insulated).size() == 1);
  Problem ring = insulated;
  ring.requirements.push_back({});
  ring.requirements.back().periodic = Periodicity{0, 1};
  CHECK(open_constants(ring).size() == 1);
  Problem scaled = insulated;
  scaled.outputs = {expression("3 + 2*N", {scaled, Scope::Use::output})};
  CHECK(open_constants(scaled).size() == 1);
  Problem slopes = insulated;
  data(slopes, "slopes", "u_x = seen", {{0, 0, 1}});
  CHECK(open_constants(slopes).size() == 1);
}

namespace {

/// Stokes' flow that changes with time.
Problem unsteady(const std::string& pin_on = "") {
  Problem p = stokes();
  p.coordinates.push_back({"t", 0, 3, Role::time, ""});
  p.requirements.clear();
  equation(p, "x_momentum", "u_t + u*u_x = laplacian(u) - p_x");
  equation(p, "y_momentum", "v_t + u*v_x = laplacian(v) - p_y");
  equation(p, "mass", "u_x + v_y = 0");
  condition(p, "lid", "boundary", "u = y");
  condition(p, "walls", "boundary", "v = 0");
  condition(p, "outlet", "x = 1", "p_n = 0");
  condition(p, "start", "t = 0", "u = 0");
  if (!pin_on.empty()) condition(p, "pin", pin_on, "p = 0");
  return p;
}

}  // namespace

TEST_CASE("a pressure of a flow in time is known up to a function of time", "[problem]") {
  for (const std::string pin : {"", "t = 0", "x = 0 and y = 0 and t = 0"}) {
    INFO(pin);
    const Problem p = unsteady(pin);
    REQUIRE(gauge_modes(p).size() == 1);
    CHECK(gauge_modes(p)[0].field == 2);
    CHECK(gauge_modes(p)[0].coordinates == std::vector<int>{2});
    CHECK(
        warning_text(open_constants(p)[0]) ==
        "warning: 'p' is determined up to a function of t only: nothing that is asked changes "
        "when one is added to p\n"
        "  where: the equations and conditions\n"
        "  fix:   pin it at a point, for all t: a [[condition]] with on = \"x = 0 and y = 0\" and "
        "residual = \"p = 0\"");
  }
  CHECK(gauge_modes(unsteady("x = 0 and y = 0")).empty());
  CHECK(gauge_modes(unsteady("x = 1")).empty());
}

TEST_CASE("what may be added to a field depends on all coordinates that nothing sees",
          "[problem]") {
  Problem p = stokes();
  p.coordinates.push_back({"Re", 1, 5, Role::parameter, ""});
  p.requirements.clear();
  equation(p, "x_slope", "p_x = Re*x");
  CHECK(gauge_modes(p)[0].coordinates == std::vector<int>{1, 2});
  equation(p, "y_slope", "p_y = Re*y");
  CHECK(gauge_modes(p)[0].coordinates == std::vector<int>{2});
  equation(p, "law", "p_Re = 0");
  CHECK(gauge_modes(p)[0].coordinates.empty());
}

TEST_CASE("a form lets the network add what its factor allows", "[problem]") {
  const auto modes = [](const std::string& form) {
    Problem p = unsteady();
    p.outputs = {nullptr, nullptr, expression(form, {p, Scope::Use::output})};
    return gauge_modes(p).size();
  };
  CHECK(modes("7 + 2*N") == 1);
  CHECK(modes("t*N") == 1);  // a function of time that begins with 0
  CHECK(modes("x*N") == 0);
  CHECK(modes("exp(N)") == 0);
}

TEST_CASE("what an integral or another place says of a field pins it", "[problem]") {
  Problem there = unsteady();
  equation(there, "pin", "at(p, x = 0, y = 0) = 0");
  CHECK(gauge_modes(there).empty());
}

TEST_CASE("a field that is asked for itself anywhere is pinned", "[problem]") {
  Problem pinned = stokes();
  condition(pinned, "pin", "x = 0 and y = 0", "p = 0");
  CHECK(open_constants(pinned).empty());
  Problem seen = stokes();
  data(seen, "seen", "p = seen", {{0.3, 0.2, 1}});
  CHECK(open_constants(seen).empty());
  Problem hard = stokes();
  hard.outputs = {nullptr, nullptr, expression("x*N", {hard, Scope::Use::output})};
  CHECK(open_constants(hard).empty());
  CHECK(open_constants(started("u_t = u_xx")).empty());
  Problem insulated = burgers();
  insulated.requirements.clear();
  equation(insulated, "helmholtz", "u_xx + u = cos(pi*x)");
  condition(insulated, "walls", "boundary", "u_n = 0");
  CHECK(open_constants(insulated).empty());
  Problem algebra = started("u_t = u_xx");
  algebra.fields.push_back({"q", "", 1});
  equation(algebra, "flux", "q = u_x");
  CHECK(open_constants(algebra).empty());
}

TEST_CASE("a coordinate that is called and used as time is warned of", "[problem]") {
  REQUIRE(times_in_space(rod("tau")).size() == 1);
  CHECK(warning_text(times_in_space(rod("tau"))[0]) ==
        "warning: 'tau' looks like time but counts as space: its ends are part of `boundary`, and "
        "`laplacian` and `u_n` take it in\n"
        "  where: problem.coordinates.tau\n"
        "  fix:   write tau = { range = [0, 3], role = \"time\" }, or role = \"space\" if it is "
        "none");
  CHECK(times_in_space(rod("T")).size() == 1);
  CHECK(times_in_space(rod("time")).size() == 1);
  Problem hard = rod("T");
  hard.requirements.erase(hard.requirements.begin() + 1);
  hard.outputs = {expression("x + T*N", {hard, Scope::Use::output})};
  CHECK(times_in_space(hard).size() == 1);
}

TEST_CASE("a coordinate with a role, with another name, or used as space is not taken for time",
          "[problem]") {
  CHECK(times_in_space(rod("tau", true)).empty());
  CHECK(times_in_space(rod("tau", true, Role::time)).empty());
  CHECK(times_in_space(rod("t", false, Role::time)).empty());
  CHECK(times_in_space(rod("z")).empty());  // a beam that is followed along z
  Problem depth = rod("tau");               // optical depth: mu is no more than a parameter of it
  depth.requirements.clear();
  equation(depth, "transfer", "x*d(u, tau) = u - 1");
  condition(depth, "top", "tau = 0", "u = 0");
  CHECK(times_in_space(depth).empty());
  Problem plate = rod("T");
  plate.requirements.clear();
  equation(plate, "plate", "laplacian(u) = 0");
  condition(plate, "walls", "boundary", "u = 0");
  CHECK(times_in_space(plate).empty());
  Problem both = rod("tau");
  both.coordinates.push_back({"t", 0, 1, Role::time, ""});
  CHECK(times_in_space(both).empty());
}

TEST_CASE("a face that holds half of a plate is warned of", "[problem]") {
  Problem held;
  held.coordinates = {{"x", 0, 1, Role::space, ""}, {"t", 0, 1, Role::time, ""}};
  held.fields = {{"u", "", 1}};
  equation(held, "beam", "u_tt + u_xxxx = 0");
  condition(held, "start", "t = 0", "u = sin(pi*x)");
  condition(held, "ends", "boundary", "u = 0");
  REQUIRE(half_held_faces(held).size() == 2);
  CHECK(warning_text(half_held_faces(held)[0]) ==
        "warning: the equations have u_xxxx, which takes 2 conditions on a face, and x = 0 has 1\n"
        "  where: the conditions\n"
        "  fix:   add what else is known of u there, such as u_x = 0 or u_xx = 0");

  Problem turned = held;
  condition(turned, "left", "x = 0", "u_xx = 0");
  REQUIRE(half_held_faces(turned).size() == 1);
  CHECK(half_held_faces(turned)[0].what.find("x = 1 has 1") != std::string::npos);
  Problem clamped = held;
  clamped.outputs = {expression("x^2*(1 - x)^2*N", {clamped, Scope::Use::output})};
  CHECK(half_held_faces(clamped).empty());
  Problem heat = held;
  heat.requirements[0] = {};
  equation(heat, "heat", "u_t = u_xx");
  CHECK(half_held_faces(heat).empty());
  Problem seen = held;
  data(seen, "seen", "u = seen", {{0.3, 0.2, 1}});
  CHECK(half_held_faces(seen).empty());
}
