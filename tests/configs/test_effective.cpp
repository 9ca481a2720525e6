#include "configs/effective.h"

#include "configs/report.h"
#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> texts(const std::vector<Difference>& differences) {
  std::vector<std::string> all;
  for (const Difference& d : differences) all.push_back(to_string(d));
  return all;
}

}  // namespace

TEST_CASE("effective values are those of the file, the overrides and the defaults", "[configs]") {
  const Run run = read_small("steps = 7\n", {"network.layers=[9]"});

  CHECK(run.effective.at("stage.1.steps") == "7");
  CHECK(run.effective.at("network.layers") == "[9]");
  CHECK(run.effective.at("stage.1.rate") == "0.001");
  CHECK(run.effective.at("problem.coordinates") == "{ x = [0, 1], t = [0, 2] }");
  CHECK(run.effective.at("equation.1.points.count") == "1000");
  CHECK(run.effective.count("stage.1.history") == 0);  // an option of another optimizer
}

TEST_CASE("nothing differs between a run and itself", "[configs]") {
  const Differences d = physics_differences(read_small(), read_small("\n# a comment\n"));

  CHECK(d.allowed.empty());
  CHECK(d.refused.empty());
}

TEST_CASE("a run that goes on may change how it goes, not what it solves", "[configs]") {
  const Run saved = read_small();
  const Run now = read_small(
      "steps = 20\n[[stage]]\noptimizer = \"lbfgs\"\n",
      {"run.threads=2", "output.grid={ x = 11 }", "run.seed=5", "network.layers=[9]",
       "equation.1.points=7", "equation.1.residual=\"u_t = 2*u_xx\"", "problem.constants.c=1.0"});

  const Differences d = physics_differences(saved, now);

  CHECK_THAT(texts(d.allowed),
             Catch::Matchers::VectorContains(std::string("stage.1.steps: 10000 -> 20")) &&
                 Catch::Matchers::VectorContains(
                     std::string("stage.2.optimizer: not there -> \"lbfgs\"")) &&
                 Catch::Matchers::VectorContains(std::string("run.threads: 0 -> 2")));
  CHECK(texts(d.refused) == std::vector<std::string>{
                                "equation.1.points.count: 1000 -> 7",
                                "equation.1.residual: \"u_t = u_xx\" -> \"u_t = 2*u_xx\"",
                                "network.fourier.seed: 0 -> 5",
                                "network.layers: [32, 32, 32, 32] -> [9]",
                                "problem.constants: not there -> { c = 1.0 }", "run.seed: 0 -> 5"});
}

TEST_CASE("data that changed make another run, a reference that changed does not", "[configs]") {
  Run saved = read_small();
  saved.hashes = {{"data.csv", "1"}, {"exact.h5", "1"}};
  Run now = saved;
  now.hashes = {{"data.csv", "2"}, {"exact.h5", "2"}};
  saved.effective["reference.file"] = now.effective["reference.file"] = "\"exact.h5\"";

  const Differences d = physics_differences(saved, now);

  CHECK(texts(d.refused) == std::vector<std::string>{"hash of data.csv: 1 -> 2"});
  CHECK(texts(d.allowed) == std::vector<std::string>{"hash of exact.h5: 1 -> 2"});
}

TEST_CASE("--check says what was understood", "[configs]") {
  Warnings warnings;
  const std::string text =
      check_report(read_run_text(small(), "small.toml", {}, {}, &warnings), warnings);

  CHECK_THAT(text, Contains("coordinate   t from 0 to 2 (time)"));
  CHECK_THAT(text, Contains("condition    condition_1: 200 points, sobol"));
  CHECK_THAT(text, Contains("u = sin(pi*x)"));
  // 2-32-32-32-32-1: 3*32 + 3*33*32 + 33
  CHECK_THAT(text, Contains("3297 parameters"));
  CHECK_THAT(text, Contains("warning: ") && Contains("x = 0"));  // no condition there
}

TEST_CASE("unknowns count as parameters", "[configs]") {
  const std::string more = "[[condition]]\non = \"x = 0\"\nresidual = \"u = k\"\n";
  CHECK(parameter_count(read_small(more, {"problem.unknowns.k=1.0"})) == 3298);
}
