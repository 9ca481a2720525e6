// Checkpoints that an older program wrote, each with the parameters that it came to when it went on
// for twenty steps: windows of time; points and weights that follow the residual, an unknown,
// Fourier features; two stages, the second with a memory of curvature.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "solvers/records/checkpoints/checkpoint.h"
#include "tests/apps/program.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const std::string old_files = std::string(PINN_SOURCE_DIR) + "/tests/apps/old/";

std::vector<double> numbers_in(const std::string& file) {
  std::ifstream in(file);
  std::vector<double> all;
  for (double x; in >> x;) all.push_back(x);
  return all;
}

}  // namespace

TEST_CASE("checkpoints of an older program go on to where that went", "[apps][resume]") {
  struct Old {
    const char *name, *steps;
  };
  const Old old = GENERATE(Old{"windows", "stage.1.steps=40"}, Old{"weights", "stage.1.steps=50"},
                           Old{"second", "stage.2.steps=35"});
  INFO(old.name);
  const Folder folder;
  std::filesystem::create_directory(folder / "run");
  std::filesystem::copy(old_files + old.name + ".h5", folder / "run/checkpoint.h5");
  const std::int64_t before = newest_checkpoint(folder / "run").checkpoint.value().state.step;

  const Outcome run = pinn_train(folder, {"run", "--resume", "--set", old.steps, "--quiet"});
  INFO(run.err);
  REQUIRE(run.code == 0);

  const TrainState state = newest_checkpoint(folder / "run").checkpoint.value().state;
  CHECK(state.step == before + 20);
  const std::vector<double> expected = numbers_in(old_files + old.name + ".txt");
  const auto found = state.parameters.data<double>();
  REQUIRE(found.size() == expected.size());
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference = larger(difference, std::fabs(found[i] - expected[i]));
    largest = larger(largest, std::fabs(expected[i]));
  }
  CHECK(difference <= 1e-7 * largest);  // equal bit for bit on the processor that they are from
}
