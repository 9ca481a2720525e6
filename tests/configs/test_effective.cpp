#include "configs/draft.h"

#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;

TEST_CASE("effective values are those of the file, the overrides and the defaults", "[configs]") {
  const Run run = read_small("steps = 7\n", {"network.layers=[9]"});

  CHECK(run.effective.at("stage.1.steps") == "7");
  CHECK(run.effective.at("network.layers") == "[9]");
  CHECK(run.effective.at("stage.1.rate") == "0.001");
  CHECK(run.effective.at("problem.coordinates") == "{ x = [0, 1], t = [0, 2] }");
  CHECK(run.effective.at("equation.1.points.count") == "1000");
  CHECK(run.effective.count("stage.1.history") == 0);  // an option of another optimizer
}
