#include <filesystem>

#include "configs/read.h"
#include "solvers/train/plan.h"
#include "solvers/train/train.h"
#include "solvers/watch/warnings.h"
#include "tests/catch.h"
#include "tests/configs/shipped.h"
#include "tests/configs/small.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

const std::string heat =
    "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
    "[[equation]]\nresidual = \"u_t = 0.25*u_xx\"\n"
    "[[condition]]\nname = \"start\"\non = \"t = 0\"\nresidual = \"u = sin(pi*x)\"\n"
    "[[condition]]\nname = \"walls\"\non = \"boundary\"\nresidual = \"u = 0\"\n";

Run read_heat(const std::string& more = "") { return read_run_text(heat + more, "heat.toml"); }

}  // namespace

TEST_CASE("a file without a stage is filled by the policy, which says so", "[configs]") {
  const Run run = read_heat();
  REQUIRE(run.stages.size() == 2);
  CHECK(run.stages[0].optimizer.kind == "adam");
  CHECK(run.stages[1].optimizer.kind == "ssbroyden");
  CHECK(run.stages[1].precision == "float64");
  CHECK(run.stages[1].sampling.kind == "rad");
  CHECK(run.problem.requirements.size() == 1);  // start and walls are exact
  CHECK(run.networks[0].layers == std::vector<int>{24, 24, 24});
  CHECK(run.sampling[0].count == 4000);
  CHECK(run.options.gain.factor == 2);
  CHECK(run.effective.at("run.auto") == "1");
  CHECK(run.effective.at("network.hard") == "\"auto\"");
  CHECK_THAT(run.chosen, Contains("[network]\nhard = \"auto\"\nlayers = [24, 24, 24]\n"));
  CHECK_THAT(plan_text(run), Contains("  optimizer = \"ssbroyden\"\n"));
}

TEST_CASE("the policy chooses the same every time", "[configs]") {
  CHECK(read_heat().chosen == read_heat().chosen);
  CHECK(read_heat().effective == read_heat().effective);
}

TEST_CASE("what was chosen makes the same run when it stands in the file", "[configs]") {
  const Run run = read_heat();
  const Run again = read_run_text(heat, "heat.toml", {}, {}, 0, {run.chosen});
  CHECK(again.effective == run.effective);
}

TEST_CASE("a run that is resumed keeps what an older policy chose", "[configs]") {
  const std::string older = "[network]\nlayers = [7]\n[[stage]]\nsteps = 3\n";
  const Run run =
      read_run_text(heat, "heat.toml", {"run.seed=1", "stage.1.steps=4"}, {}, 1, {older});
  CHECK(run.networks[0].layers == std::vector<int>{7});
  REQUIRE(run.stages.size() == 1);
  CHECK(run.stages[0].optimizer.steps == 4);  // said later
  CHECK(run.problem.requirements.size() == 3);
  CHECK(run.chosen == older);
}

TEST_CASE("the policy fills absent keys only", "[configs]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "[[equation]]\nresidual = \"u_t = 0.25*u_xx\"\npoints = { method = \"lhs\" }\n"
      "[[condition]]\non = \"t = 0\"\nresidual = \"u = sin(pi*x)\"\npoints = 50\nweight = 7\n"
      "[network]\nlayers = [8]\nactivation = \"gelu\"\nhard = [\"condition_2\"]\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 0\"\n"
      "[run]\ngain = { factor = 0 }\n",
      "said.toml");
  CHECK(run.networks[0].layers == std::vector<int>{8});
  CHECK(run.networks[0].activation == std::vector<std::string>{"gelu"});
  REQUIRE(run.problem.requirements.size() == 2);
  CHECK(run.sampling[0].count == 4000);
  CHECK(run.sampling[0].method == "lhs");
  CHECK(run.sampling[1].count == 50);
  CHECK(run.problem.requirements[1].residuals[0].weight == 7);
  CHECK(run.options.gain.factor == 0);
}

TEST_CASE("a file with a stage has today's defaults, and nothing is chosen", "[configs]") {
  std::vector<std::string> files = pinn::test::shipped_files();
  for (const std::string& file : pinn::test::problem_files("tests/newcomer")) files.push_back(file);
  for (const std::string& file : files) {
    INFO(file);
    const Run run = read_run(file);
    CHECK(run.chosen.empty());
    CHECK(run.effective.count("network.hard") == 0);
    CHECK(run.effective.count("run.auto") == 0);
    CHECK(run.effective.count("run.gain.factor") == 0);
  }
  const Run run = read_small();
  CHECK(run.networks[0].layers == std::vector<int>{32, 32, 32, 32});
  CHECK(run.stages[0].optimizer.kind == "adam");
  CHECK(run.stages[0].sampling.kind.empty());
  CHECK(run.problem.requirements.size() == 2);
}

TEST_CASE("a stage may leave its optimizer to the policy", "[configs]") {
  const Run run = read_heat(
      "[[stage]]\noptimizer = \"auto\"\nsteps = 70\n"
      "[[stage]]\noptimizer = \"auto\"\n");
  REQUIRE(run.stages.size() == 2);
  CHECK(run.stages[0].optimizer.kind == "adam");
  CHECK(run.stages[0].optimizer.steps == 70);
  CHECK(run.stages[1].optimizer.kind == "ssbroyden");
  CHECK(run.problem.requirements.size() == 3);  // nothing but the stages is chosen
  CHECK(run.networks[0].layers == std::vector<int>{32, 32, 32, 32});
  CHECK(run.effective.at("stage.2.optimizer") == "\"ssbroyden\"");
}

TEST_CASE("one coordinate that is told at one end is chosen for as time is", "[configs]") {
  const auto oscillator = [](const std::string& x, const std::string& ends) {
    return read_run_text("[problem]\ncoordinates = { " + x + " = [0, 60] }\nfields = [\"y\"]\n" +
                             "[[equation]]\nresidual = \"0.5*y_" + x + x + " + y = 0\"\n" + ends,
                         "oscillator.toml");
  };
  const auto start = [](const std::string& x) {
    return "[[condition]]\non = \"" + x + " = 0\"\nresidual = [\"y = 1\", \"y_" + x + " = 0\"]\n";
  };
  const Run time = oscillator("t", start("t")), place = oscillator("x", start("x"));
  CHECK(time.networks[0].frequency.at(0) > 10);
  CHECK(place.networks[0].frequency == time.networks[0].frequency);
  CHECK(place.networks[0].activation == time.networks[0].activation);
  const Run both = oscillator("x", "[[condition]]\non = \"boundary\"\nresidual = \"y = 1\"\n");
  CHECK(both.networks[0].activation == std::vector<std::string>{"tanh"});
}

TEST_CASE("waves that the problem tells of make the first layer steep", "[configs]") {
  CHECK(read_heat().networks[0].frequency == std::vector<double>{1, 1});
  const Run run = read_run_text(
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "[[equation]]\nresidual = \"u_tt = 4*u_xx\"\n"
      "[[condition]]\non = \"t = 0\"\nresidual = [\"u = sin(6*pi*x)\", \"u_t = 0\"]\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 0\"\n",
      "waves.toml");
  // 6 pi over half of the interval is 3 pi; the equation makes time twice as fast
  CHECK(run.networks[0].frequency[0] == Approx(1.5 * M_PI).epsilon(0.05));
  CHECK(run.networks[0].frequency[1] == Approx(3 * M_PI).epsilon(0.05));
  CHECK(run.networks[0].activation == std::vector<std::string>{"sin"});
}

TEST_CASE("terms of any size weigh the same, conditions and data more", "[configs]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\nunknowns = { k = 1 }\n"
      "[[equation]]\nresidual = \"1000*u_xx = 1000*k\"\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"0.01*u_x = 0\"\n"
      "[[data]]\nfile = \"bad/good.csv\"\ncolumns = { x = \"position\", v = \"v\" }\n"
      "residual = \"u = v\"\n",
      PINN_SOURCE_DIR "/tests/configs/weights.toml");
  REQUIRE(run.problem.requirements.size() == 3);
  const auto weight = [&](std::size_t r) {
    return run.problem.requirements[r].residuals[0].weight;
  };
  CHECK(weight(0) < 1e-5);
  CHECK(weight(1) > 1e5);
  CHECK(weight(2) > 1);
}

TEST_CASE("residuals of one system that differ a thousandfold in size are warned of", "[configs]") {
  const auto warned = [](const std::string& residual) {
    const Run run = read_run_text(
        "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n"
        "[[equation]]\nresidual = \"u_xxxx = 1\"\n"
        "[[condition]]\nname = \"held\"\non = \"x = 0\"\nresidual = " +
            residual + "\n[[condition]]\non = \"x = 1\"\nresidual = [\"u = 0\", \"u_x = 0\"]\n",
        "uneven.toml");
    return warnings_text(warnings_of(run));
  };
  const std::string both = "[\"1e5*u_xx = u_xx\", \"u_x = u\"]";
  CHECK_THAT(warned(both), Contains("'held.2' hardly counts: 'held.1' is") &&
                               Contains("in a table of its own") && Contains("uneven.toml:9:33"));
  CHECK(warned(both + "\nweight = [1e-10, 1]").empty());
  CHECK(warned("[\"u_xx = u\", \"u_x = u\"]").empty());
}

TEST_CASE("a condition that no smooth network meets weighs as the equations do", "[configs]") {
  const auto weights = [](const std::string& start) {
    const Run run = read_run_text(
        "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
        "[[equation]]\nresidual = \"u_t = 0.25*u_xx\"\n"
        "[[condition]]\nname = \"start\"\non = \"t = 0\"\nresidual = \"" +
            start +
            "\"\n[[condition]]\nname = \"flux\"\non = \"boundary\"\nresidual = \"u_n + u = 0\"\n",
        "kink.toml");
    std::vector<double> all;
    for (const Requirement& r : run.problem.requirements) all.push_back(r.residuals[0].weight);
    return all;
  };
  const std::vector<double> kinked = weights("u = abs(x - 0.5)");
  REQUIRE(kinked.size() == 3);
  CHECK(weights("u = x").size() == 2);  // exact
  // a pulse of the same size counts a hundred times as much, with kinks or without
  for (const std::string pulse :
       {"u = max(0, 1 - abs(x - 0.5)/0.02)", "u = exp(-((x - 0.5)/0.02)^2)"}) {
    INFO(pulse);
    REQUIRE(weights(pulse).size() == 3);
    CHECK(weights(pulse)[1] == Approx(100 * kinked[1]).epsilon(0.1));
  }
}

TEST_CASE("a pulse at the start stays in the loss under auto, and a list makes it exact",
          "[configs]") {
  const std::string pulse =
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "[[equation]]\nresidual = \"u_t + u_x = 0\"\n"
      "[[condition]]\nname = \"start\"\non = \"t = 0\"\n"
      "residual = \"u = exp(-((x - 0.3)/0.03)^2)\"\n";
  const Run run = read_run_text(pulse, "pulse.toml");
  CHECK(run.problem.requirements.size() == 2);
  CHECK_THAT(run.chosen, Contains("# start: stays in the loss, for its value changes along x in"));
  CHECK(read_run_text(pulse + "[network]\nhard = [\"start\"]\n", "pulse.toml")
            .problem.requirements.size() == 1);
}

TEST_CASE("a large problem gets fewer steps, and a large network no dense matrix", "[configs]") {
  const Run small_one = read_heat();
  const Run large = read_heat("[network]\nlayers = [128, 128]\n");
  CHECK(large.stages[1].optimizer.kind == "lbfgs");
  CHECK(large.stages[1].optimizer.steps < small_one.stages[1].optimizer.steps);
}

TEST_CASE("every file that leaves all to the policy is read whole", "[configs]") {
  for (const std::string& file : pinn::test::problem_files("configs/auto")) {
    INFO(file);
    const Run run = read_run(file);
    CHECK(run.stages.size() == 2);
    CHECK_FALSE(run.chosen.empty());
    CHECK_FALSE(run.reference.quantities.empty());
  }
}

TEST_CASE("an equation with a pole is weighted by the distance from it", "[configs]") {
  const auto disk = [](const std::string& r) {
    return read_run_text("[problem]\ncoordinates = { r = " + r +
                             ", a = [0, \"2*pi\"] }\nfields = [\"u\"]\n"
                             "[[equation]]\nresidual = \"u_rr + u_r/r + u_aa/r^2 = 4\"\n"
                             "[[condition]]\nperiodic = \"a\"\n"
                             "[[condition]]\non = \"r = 2\"\nresidual = \"u = cos(a)\"\n",
                         "disk.toml");
  };
  CHECK_THAT(disk("[0, 2]").chosen, Contains("weight = \"") && Contains("*(r*r)^2\""));
  CHECK_THAT(disk("[0.1, 2]").chosen, !Contains("weight = \""));
}

TEST_CASE("a start that fades at once stays in the loss, and is no wave of all time", "[configs]") {
  const auto rod = [](const std::string& law) {
    return read_run_text(
        "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
        "[[equation]]\nresidual = \"" +
            law + "\"\n[[condition]]\non = \"t = 0\"\nresidual = \"u = sin(pi*x)\"\n" +
            "[[condition]]\non = \"boundary\"\nresidual = \"u = 0\"\n",
        "rod.toml");
  };
  const Run fast = rod("u_t = 60*u_xx"), slow = rod("u_t = u_xx"), moves = rod("u_t + 90*u_x = 0");
  CHECK_THAT(fast.chosen, Contains("in the loss, for the equations change it within 1/"));
  CHECK(fast.networks[0].activation == std::vector<std::string>{"tanh"});
  CHECK(fast.problem.requirements.size() == 2);
  CHECK(slow.problem.requirements.size() == 1);
  CHECK(moves.networks[0].frequency.at(1) > 50);
}
