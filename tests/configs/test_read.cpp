#include "configs/effective.h"
#include "configs/read.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

const std::string folder = PINN_SOURCE_DIR "/configs/";

}  // namespace

TEST_CASE("burgers.toml reads as the problem it states", "[configs]") {
  const Run run = read_run(folder + "burgers.toml");

  CHECK(run.name == "burgers");
  REQUIRE(run.problem.coordinates.size() == 2);
  CHECK(run.problem.coordinates[0].name == "x");
  CHECK(run.problem.coordinates[0].lower == -1);
  CHECK(run.problem.coordinates[1].role == Role::time);
  REQUIRE(run.problem.requirements.size() == 3);
  CHECK(run.problem.requirements[0].name == "burgers");
  CHECK(run.problem.requirements[2].residuals.at(0).weight == 5);
  CHECK(run.sampling[1].count == 256);
  CHECK(run.network.layers == std::vector<int>{20, 20, 20, 20});
  CHECK(run.stages.at(1).optimizer.kind == "ssbroyden");
  CHECK(run.stages[0].precision == "float64");
  CHECK(run.output.grid == std::vector<int>{101, 101});
  CHECK(run.effective.at("stage.1.beta2") == "0.999");
  CHECK(run.effective.count("stage.2.rate") == 0);
}
