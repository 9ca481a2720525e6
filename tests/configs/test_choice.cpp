#include <fmt/format.h>

#include "configs/read.h"
#include "solvers/train/plan.h"
#include "solvers/watch/warnings.h"
#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("a hard condition is out of the loss, and --check says so", "[configs]") {
  const Run run = read_small("[network]\nhard = \"auto\"\n");
  REQUIRE(run.problem.requirements.size() == 1);
  CHECK(run.problem.requirements[0].name == "equation_1");
  CHECK(run.sampling.size() == 1);
  CHECK(run.effective.at("network.output") == "{ u = \"sin(3.141592653589793*x) + 0.5*t*N\" }");
  CHECK(run.chosen ==
        "# condition_1: exact by the network's form, and out of the loss\n\n"
        "[network.output]\nu = \"sin(3.141592653589793*x) + 0.5*t*N\"\n");
  CHECK_THAT(plan_text(run), Contains("chosen, where the file does not say") &&
                                 Contains("  u = \"sin(3.141592653589793*x) + 0.5*t*N\""));
}

TEST_CASE("a file that is given what was chosen for it is the same run", "[configs]") {
  const Run run = read_small("[network]\nhard = \"auto\"\n");
  const Run again =
      read_run_text(small("[network]\nhard = \"auto\"\n"), "small.toml", {}, {}, 0, {run.chosen});
  CHECK(again.effective == run.effective);
  CHECK(again.chosen == run.chosen);
  const Run pasted = read_small(
      "[network]\nhard = \"auto\"\n[network.output]\n"
      "u = \"sin(3.141592653589793*x) + 0.5*t*N\"\n");
  CHECK(pasted.effective == run.effective);
  CHECK(pasted.problem.requirements.size() == 1);
}

TEST_CASE("what is asked stays among the values in force, be it exact or not", "[configs]") {
  const Run run = read_small("[network]\nhard = [\"condition_1\"]\n");
  CHECK(run.effective.at("condition.1.residual") == "\"u = sin(pi*x)\"");
  CHECK(run.effective.at("condition.1.weight") == "1.0");
}

TEST_CASE("without hard a condition stays as it is, whatever the form of the field", "[configs]") {
  const Run run = read_small("[network.output]\nu = \"sin(pi*x) + t*N\"\n");
  CHECK(run.problem.requirements.size() == 2);
  CHECK(run.chosen.empty());
}

TEST_CASE("of a system the residuals that can be exact leave the loss", "[configs]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { t = [0, 1] }\nfields = [\"u\", \"v\"]\n"
      "[[equation]]\nresidual = [\"u_t = v\", \"v_t = -u\"]\n"
      "[[condition]]\nname = \"start\"\non = \"t = 0\"\n"
      "residual = [\"u = 1\", \"v^2 = u^2\"]\nweight = [3, 5]\n"
      "[network]\nhard = \"auto\"\n[[stage]]\n",
      "system.toml");
  REQUIRE(run.problem.requirements.size() == 2);
  REQUIRE(run.problem.requirements[1].residuals.size() == 1);
  CHECK(run.problem.requirements[1].residuals[0].name == "start.2");
  CHECK(run.problem.requirements[1].residuals[0].weight == 5);
  CHECK_THAT(run.chosen, Contains("# start.2: stays in the loss, for it ties several fields"));
}

TEST_CASE("a periodic condition becomes the embedding of the network", "[configs]") {
  const Run run = read_small(
      "[[condition]]\nname = \"circle\"\nperiodic = \"x\"\n"
      "[network]\nhard = [\"circle\"]\n");
  CHECK(run.networks[0].periodic == std::vector<bool>{true, false});
  CHECK(run.problem.requirements.size() == 2);
  CHECK(warnings_text(warnings_of(run)).empty());
}

TEST_CASE("what the start and the walls lack is no reason for a warning", "[configs]") {
  const Run run = read_small(
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 0\"\n"
      "[network]\nhard = \"auto\"\n");
  CHECK(run.problem.requirements.size() == 1);
  CHECK(warnings_text(warnings_of(run)).empty());
}

TEST_CASE("what windows of time begin with is handed over, and no form of a field", "[configs]") {
  const Run run = read_small("[windows]\ncount = 2\n[network]\nhard = \"auto\"\n");
  CHECK(run.problem.requirements.size() == 2);
  CHECK_THAT(run.chosen, Contains("every window but the first begins with the end of the one"));

  const std::string written =
      "[network]\nhard = \"auto\"\n[network.output]\nu = \"initial(u) + (t - initial(t))*N\"\n";
  CHECK(read_small(written).problem.requirements.size() == 1);
  CHECK(read_small(written + "[windows]\ncount = 2\n").problem.requirements.size() == 2);
}

TEST_CASE("a run that has begun keeps a form that a new one may not have", "[configs]") {
  const std::string text = small("[network.output]\nu = \"abs(x - 0.5) + t*N\"\n");
  CHECK_THAT(refusal(text), Contains("the form of u is not as smooth as what is asked of it"));
  const Run run = read_run_text(text, "small.toml", {}, {}, 0, {{}, {{"run.seed", "0"}}});
  CHECK(run.effective.at("network.output") == "{ u = \"abs(x - 0.5) + t*N\" }");
}

TEST_CASE("what was chosen for a run stays its form, whatever is chosen now", "[configs]") {
  const Run run = read_run_text(small("[network]\nhard = \"auto\"\n"), "small.toml", {}, {}, 0,
                                {"[network.output]\nu = \"abs(x - 0.5) + t*N\"\n", {}});
  CHECK(run.effective.at("network.output") == "{ u = \"abs(x - 0.5) + t*N\" }");
}
