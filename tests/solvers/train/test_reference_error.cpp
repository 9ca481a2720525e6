#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("an exact reference is compared also where the output is at points of a file",
          "[train][reference]") {
  Run run = poisson_run({stage("adam", 5)});
  const Folder folder;
  run.output.grid.clear();
  run.output.points_file = folder.file("points.csv", "x\n-0.5\n0.25\n");

  const TrainResult result = train(run, request(folder / "run"));

  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].second > 0);
}
