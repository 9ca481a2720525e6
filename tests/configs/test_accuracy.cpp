#include "configs/read.h"
#include "tests/catch.h"
#include "tests/configs/promises.h"

using namespace pinn;
using namespace pinn::test;

// Whole runs take minutes: the nightly target trains every file. These three are cut short; each
// bound is about ten times the error measured with that many steps and the file's seed.
TEST_CASE("a short training of three shipped problems reaches its short bound",
          "[configs][accuracy]") {
  const auto [name, steps, bound] = GENERATE(table<std::string, int, double>(
      {{"poisson_2d", 150, 5e-5}, {"heat", 150, 2e-4}, {"beam", 100, 6e-5}}));
  INFO(name);
  const Run run = read_run(PINN_SOURCE_DIR "/configs/" + name + ".toml",
                           {"stage.1.steps=200", "stage.2.steps=" + std::to_string(steps)});

  const TrainResult result = trained(run);

  CHECK(error_of(result, "u") < bound);
}
