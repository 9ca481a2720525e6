#include "solvers/problem/checks.h"

#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;

namespace {

std::vector<std::string> bare(const Problem& p) {
  std::vector<std::string> all;
  for (const Report& r : uncovered_faces(p)) all.push_back(r.what);
  return all;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("faces without a condition are found", "[problem]") {
  Problem p = burgers();
  CHECK(bare(p) == Names{"the face x = -1 has no condition", "the face x = 1 has no condition",
                         "the face t = 0 has no condition"});
  condition(p, "initial", "t = 0", "u = 0");
  condition(p, "left", "x = -1", "u = 0");
  CHECK(bare(p) == Names{"the face x = 1 has no condition"});
  CHECK(uncovered_faces(p)[0].fix ==
        "add a [[condition]] with on = \"x = 1\", if the problem needs one");
  condition(p, "corner", "x = 1 and t = 0", "u = 0");
  CHECK(bare(p).size() == 1);  // a point does not cover a face
  condition(p, "right", "x = 1 and t > 0.5", "u_n = 0");
  CHECK(bare(p).empty());
  CHECK(faces(p)[1].covered_by == Names{"right"});
}

TEST_CASE("periodicity and unions cover faces, parameters and steady equations have none",
          "[problem]") {
  Problem p = burgers();
  condition(p, "initial", "initial", "u = 0");
  Problem embedded = p;
  embedded.periodic = {true, false};
  CHECK(bare(embedded).empty());
  Problem soft = p;
  soft.requirements.push_back({});
  soft.requirements.back().name = "ring";
  soft.requirements.back().periodic = Periodicity{0, 1};
  CHECK(bare(soft).empty());
  condition(p, "walls", "boundary", "u = 0");
  CHECK(bare(p).empty());

  Problem family = burgers();
  family.coordinates[1].role = Role::parameter;
  family.requirements.clear();
  equation(family, "steady", "u*u_x = t*u_xx");
  CHECK(faces(family).size() == 2);
}

TEST_CASE("an equation of first order along a coordinate needs one of its two faces", "[problem]") {
  Problem p = burgers();
  p.requirements.clear();
  equation(p, "advection", "u_t + u_x = 0");
  condition(p, "initial", "initial", "u = 0");
  CHECK(bare(p).size() == 2);
  condition(p, "inflow", "x = -1", "u = 0");
  CHECK(bare(p).empty());
}

TEST_CASE("a hard constraint covers the faces where N has no influence", "[problem]") {
  Problem p = burgers();
  p.outputs = {expression("-sin(pi*x) + t*(1 - x^2)*N", {p, Scope::Use::output})};
  CHECK(bare(p).empty());
  CHECK(faces(p)[0].covered_by == Names{"the hard constraint of u"});
  p.outputs = {expression("-sin(pi*x) + t*(1 - x)*N", {p, Scope::Use::output})};
  CHECK(bare(p) == Names{"the face x = -1 has no condition"});
}

TEST_CASE("data along a face cover it", "[problem]") {
  Problem p = burgers();
  condition(p, "walls", "boundary", "u = 0");
  REQUIRE(bare(p) == Names{"the face t = 0 has no condition"});
  Problem snapshot = p;
  data(snapshot, "snapshot", "u = seen", {{-0.8, 0, 1}, {0, 0, 2}, {0.7, 0, 1}});
  CHECK(bare(snapshot).empty());
  CHECK(faces(snapshot)[2].covered_by == Names{"snapshot"});
  Problem scattered = p;
  data(scattered, "scattered", "u = seen", {{-0.8, 0.02, 1}, {0.1, 0.5, 2}, {0.7, 0.04, 1}});
  CHECK(bare(scattered).empty());
}

TEST_CASE("data elsewhere, or at one place of a face, leave it bare", "[problem]") {
  Problem p = burgers();
  condition(p, "walls", "boundary", "u = 0");
  Problem sensor = p;
  data(sensor, "sensor", "u = seen", {{0.1, 0, 1}, {0.1, 0.5, 2}, {0.1, 1, 1}});
  CHECK(bare(sensor).size() == 1);
  Problem late = p;
  data(late, "late", "u = seen", {{-0.8, 0.9, 1}, {0.1, 0.9, 2}, {0.8, 0.9, 1}});
  CHECK(bare(late).size() == 1);
}

TEST_CASE("what is known at the end of time, or at a moment, is as good as a start", "[problem]") {
  const auto when = GENERATE("t = 1", "t = 0.5", "t = 0");
  INFO(when);
  Problem p = burgers();
  condition(p, "walls", "boundary", "u = 0");
  Problem first = p;
  condition(first, "known", when, "u = sin(pi*x)");
  CHECK(bare(first).empty());
  p.requirements[0] = requirement(p, Requirement::Kind::equation, "wave", "", "u_tt = u_xx");
  condition(p, "value", when, "u = sin(pi*x)");
  condition(p, "velocity", when, "u_t = 0");
  CHECK(bare(p).empty());
  CHECK(missing_velocities(p).empty());
}

TEST_CASE("less than the order in time at its end leaves the start bare", "[problem]") {
  Problem p = burgers();
  p.requirements[0] = requirement(p, Requirement::Kind::equation, "wave", "", "u_tt = u_xx");
  condition(p, "walls", "boundary", "u = 0");
  condition(p, "end", "t = 1", "u = 0");
  CHECK(bare(p) == Names{"the face t = 0 has no condition"});
  condition(p, "corner", "t = 1 and x = 1", "u_t = 0");
  CHECK(bare(p).size() == 1);
  condition(p, "middle", "t = 0.5", "u_t = 0");  // of another moment
  CHECK(bare(p).size() == 1);
}

TEST_CASE("the end of time is among the faces where something is asked there", "[problem]") {
  Problem p = burgers();
  CHECK(faces(p).size() == 3);
  condition(p, "payoff", "t = 1", "u = relu(x)");
  REQUIRE(faces(p).size() == 4);
  CHECK(faces(p)[3].text == "t = 1");
  CHECK(faces(p)[3].covered_by == Names{"payoff"});
}

TEST_CASE("an equation along one coordinate alone is carried from where enough is known",
          "[problem]") {
  Problem p;
  p.coordinates = {{"x", -1, 1, Role::space, ""}};
  p.fields = {{"u", "", 1}, {"v", "", 1}};
  equation(p, "first", "u_xx = v");
  equation(p, "second", "v_x = u");
  condition(p, "value", "x = 0.2", "u = 1");
  condition(p, "other", "x = 0.2", "v = 1");
  CHECK(bare(p).size() == 2);
  condition(p, "slope", "x = 0.2", "u_x = 0");
  CHECK(bare(p).empty());
  Problem plane = p;  // no initial value problem any more
  plane.coordinates.push_back({"y", 0, 1, Role::space, ""});
  plane.requirements.clear();
  equation(plane, "laplace", "laplacian(u) = v");
  condition(plane, "value", "x = -1", "u = 1");
  condition(plane, "slope", "x = -1", "u_x = 1");
  condition(plane, "floor", "y = 0", "u = 1");
  condition(plane, "roof", "y = 1", "u = 1");
  CHECK(bare(plane) == Names{"the face x = 1 has no condition"});
}
