#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

#include "solvers/problem/checks.h"

using namespace pinn;

namespace {

std::string said(const Problem& p) {
  Warnings none;
  return message([&] { validate(p, none); });
}

}  // namespace

TEST_CASE("a problem that asks nothing, of nobody or of too many is refused", "[problem][errors]") {
  CHECK(said({}) ==
        "error: the problem has no coordinates\n  where: problem.coordinates\n"
        "  fix:   write coordinates = { x = [0, 1] }");
  Problem p = burgers();
  CHECK(said(p) == "no error");

  Problem none = p;
  none.fields.clear();
  none.requirements.clear();
  CHECK(
      said(none) ==
      "error: the problem has no fields\n  where: problem.fields\n  fix:   write fields = [\"u\"]\n"
      "error: the problem has no equations, conditions or data\n  where: the whole file\n"
      "  fix:   write an [[equation]] with a residual");

  Problem idle = p;
  idle.fields.push_back({"v", "", 1});
  CHECK(said(idle) ==
        "error: nothing is asked of the field 'v'\n  where: problem.fields\n"
        "  fix:   use it in a residual, or remove it");

  Problem twice = p;
  equation(twice, "burgers", "u_t");
  CHECK(said(twice) ==
        "error: two requirements are called 'burgers'\n  where: p.toml:9:1\n"
        "  fix:   give each a name of its own");

  Problem empty = p;
  empty.requirements[0].place = {};
  empty.requirements.push_back(empty.requirements[0]);
  empty.requirements[1].name = "other";
  empty.requirements[1].residuals.clear();
  CHECK(said(empty) ==
        "error: the requirement 'other' asks for nothing\n  where: requirement 'other'\n"
        "  fix:   give it a residual");

  Problem constant = p;
  condition(constant, "walls", "boundary", "x^2 = 1");
  CHECK(said(constant) == about("x^2 = 1", 0, 7,
                                "the residual 'walls' has no field and no unknown in it",
                                "write a formula that training can make vanish"));
}

TEST_CASE("coordinates have finite intervals, at most 128, and one time", "[problem][errors]") {
  const auto refusal = [](const std::vector<Coordinate>& all) {
    return message([&] { check_coordinates(all); });
  };
  CHECK(refusal({{"x", 1, 1, Role::space, ""}}) ==
        "error: the coordinate 'x' runs from 1 to 1\n  where: problem.coordinates.x\n"
        "  fix:   write two finite numbers, the lower one first");
  CHECK(refusal({{"a", 0, 1, Role::time, ""}, {"b", 0, 1, Role::time, ""}}) ==
        "error: 2 coordinates are time\n  where: problem.coordinates\n"
        "  fix:   give one of them the role \"time\"");
  CHECK(refusal(std::vector<Coordinate>(128, {"x", 0, 1, Role::space, ""})) == "no error");
  CHECK(refusal(std::vector<Coordinate>(129, {"x", 0, 1, Role::space, ""})) ==
        "error: the problem has 129 coordinates\n  where: problem.coordinates\n"
        "  fix:   use at most 128");
}

TEST_CASE("data uses its columns, a hard constraint N, an unknown starts within its bounds",
          "[problem][errors]") {
  Problem p = burgers();
  Requirement data = requirement(p, Requirement::Kind::data, "probe", "", "u = 1");
  data.region = nullptr;
  data.data = DataSet{};
  data.data->columns = {"signal"};
  p.requirements.push_back(data);
  CHECK(said(p) ==
        "error: no residual of 'probe' uses its column 'signal'\n  where: p.toml:9:1\n"
        "  fix:   use it, or leave it out of `columns`");

  Problem hard = burgers();
  hard.outputs = {expression("1 - x^2", {hard, Scope::Use::output})};
  CHECK(said(hard) ==
        "error: the hard constraint of 'u' does not use N, so nothing can be trained\n"
        "  where: network.output.u\n  fix:   write it as g + h*N, with N the network's output");

  Problem bounds = burgers();
  bounds.unknowns = {{"a", 2, 3, {}, false}, {"b", 0, {}, {}, true}};
  Warnings warnings;
  CHECK(message([&] { validate(bounds, warnings); }) ==
        "error: the unknown 'a' starts at 2, outside of its bounds\n  where: problem.unknowns.a\n"
        "  fix:   choose a start between min and max\n"
        "error: the unknown 'b' starts at 0, and its scale is logarithmic\n  where: "
        "problem.unknowns.b\n"
        "  fix:   choose a positive start, or leave scale out");
  REQUIRE(warnings.size() == 2);
  CHECK(to_string(warnings[0]) ==
        "error: no residual uses the unknown 'a': it stays at its start\n  where: "
        "problem.unknowns.a\n"
        "  fix:   use it in a residual, or declare it as a constant");

  bounds.unknowns = {{"a", 2, {}, {}, false}, {"b", 1, {}, {}, false}};
  bounds.outputs = {expression("a + N", {bounds, Scope::Use::output})};
  warnings.clear();
  validate(bounds, warnings);
  REQUIRE(warnings.size() == 1);  // a residual that has u has a
  CHECK_THAT(to_string(warnings[0]), Catch::Contains("the unknown 'b'"));
}

TEST_CASE("a coordinate is periodic in one way, up to an order the network can give",
          "[problem][errors]") {
  Problem p = burgers();
  Requirement periodic;
  periodic.kind = Requirement::Kind::condition;
  periodic.name = "ring";
  periodic.periodic = Periodicity{0, 7};
  p.requirements.push_back(periodic);
  p.periodic = {true, false};
  CHECK(said(p) ==
        "error: x is periodic already: the network is, by its embedding\n  where: requirement "
        "'ring'\n"
        "  fix:   remove this condition, or network.periodic\n"
        "error: a periodic condition of order 7\n  where: requirement 'ring'\n"
        "  fix:   choose an order from 0 to 6");
}

TEST_CASE("fewer equations than fields is worth a warning, unless there is data", "[problem]") {
  Problem p = burgers();
  p.fields.push_back({"v", "", 1});
  condition(p, "walls", "boundary", "u = v");
  Warnings warnings;
  validate(p, warnings);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].what == "1 equation for 2 fields");

  p.requirements[1].data = DataSet{};
  warnings.clear();
  validate(p, warnings);
  CHECK(warnings.empty());
}

TEST_CASE("a condition that is an equation counts as one", "[problem]") {
  const auto counts = [](const Problem& p) {
    Warnings warnings;
    validate(p, warnings);
    for (const Report& w : warnings)
      if (w.what == "1 equation for 2 fields") return false;
    return true;
  };
  Problem p = burgers();
  p.fields.push_back({"v", "", 1});
  Problem inside = p;
  condition(inside, "second", "x > 0", "v_x = u");
  CHECK(counts(inside));
  Problem moment = p;
  condition(moment, "start", "t = 0", "v = u");
  CHECK_FALSE(counts(moment));

  p.fields[1].inputs = {1};  // v is of time alone
  Problem wall = p;
  condition(wall, "front", "x = 1", "v_t = -u_x");
  CHECK(counts(wall));
  Problem start = p;
  condition(start, "start", "t = 0", "v = 1");
  CHECK_FALSE(counts(start));
  Problem other = p;
  condition(other, "walls", "x = 1", "u = 0");
  condition(other, "start", "t = 0", "v = 1");
  CHECK_FALSE(counts(other));
}
