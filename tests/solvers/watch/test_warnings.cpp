#include "solvers/watch/warnings.h"

#include "solvers/train/plan.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

TEST_CASE("a run is warned of what its reader noticed, then of faces left bare", "[train]") {
  const auto p = problem({"x"}, {"u"}, {"u_xx = u"});
  Run run = run_of(*p, {stage("adam", 5)});
  run.warnings = {{"a kink", "p.toml:3:4", "smooth it", "         |u|\n         ^^^"},
                  {"no place", "", "none"}};

  CHECK(warnings_text(warnings_of(run)) ==
        "warning: a kink\n  where: p.toml:3:4\n         |u|\n         ^^^\n  fix:   smooth it\n"
        "warning: no place\n  fix:   none\n"
        "warning: the face x = -1 has no condition\n  where: the conditions\n"
        "  fix:   add a [[condition]] with on = \"x = -1\", if the problem needs one\n"
        "warning: the face x = 1 has no condition\n  where: the conditions\n"
        "  fix:   add a [[condition]] with on = \"x = 1\", if the problem needs one\n");
  CHECK(warnings_of(inverse_run({stage("adam", 5)})).empty());
}

TEST_CASE("a run is warned of all that is looked for before training", "[train]") {
  Run run = run_of(*problem({"x", "tau"}, {"u"}, {"d(u, tau) = u_xx"}), {stage("adam", 5)});
  run.problem.coordinates[1].name = "time";
  run.networks[0].activation = {"relu"};
  Warnings none;
  Requirement start;
  start.kind = Requirement::Kind::condition;
  start.name = "start";
  start.region = parse_region({text("time = -1")}, run.problem);
  start.residuals.push_back(
      {"start", parse_residual(text("u_x = 2"), Scope{run.problem}, none), 1, text("u_x = 2")});
  run.problem.requirements.push_back(start);
  run.sampling.resize(2);
  const auto warned = [](const Run& r) { return warnings_text(warnings_of(r)); };
  CHECK_THAT(warned(run), Contains("the face x = -1 has no condition") &&
                              Contains("'u' is determined up to a constant only") &&
                              Contains("'time' looks like time") && Contains("derivative of relu"));
  run.problem.coordinates[1].role = Role::time;
  run.problem.requirements[0].residuals[0].expression =
      parse_residual(text("d(u, time, 2) = u_xx"), Scope{run.problem}, none);
  CHECK_THAT(warned(run), Contains("nothing says what u_time is at time = -1"));
  run.problem.outputs[0] =
      parse_expression(text("(time + 1)*N"), Scope{run.problem, Scope::Use::output}, none);
  CHECK_THAT(warned(run), Contains("'start' contradicts [network.output]"));
  const Folder folder;
  run.output.points_file = folder.file("probes.csv", "x,time\n0,7\n");
  CHECK_THAT(warned(run), Contains("1 of the 1 points of [output] lies outside of the domain"));
}

TEST_CASE("rounding is warned of where it meets the residual", "[train]") {
  Run run = poisson_run({stage("adam", 5)});
  const auto warned = [&](const std::string& kind) {
    run.memory.kind = kind;
    return warnings_text(warnings_of(run));
  };
  CHECK(warned("fp8_e4m3").empty());
  run.options.derivatives = "reverse";
  CHECK_THAT(warned("bf16"), Contains("warning: derivatives taken by nested reverse mode have the "
                                      "errors of bf16"));
  CHECK(warned("disk").empty());
}

TEST_CASE("warnings come back out of a status as they went in", "[train]") {
  const Warnings warnings = {
      {"a \"kink\" at C:\\tmp\ttoday", "p.toml:3:4", "smooth it", "         |u|\n         ^^^"},
      {"nothing but this", "", ""},
      {"\u03BD is small, {\"where\":\"here\"}]", "[", "}"}};
  JsonObject status;
  status.add("state", "done");
  add_reports(status, "warnings", warnings);
  status.add("seconds", 1.5);

  const Warnings again = warnings_in(status.text());

  CHECK(warnings_text(again) == warnings_text(warnings));
  CHECK(warnings_in(status.text().substr(0, status.text().size() / 2)).empty());  // cut short
  CHECK(warnings_in("{\"state\":\"done\"}").empty());
  CHECK(warnings_in("").empty());
}
