// Whole runs whose saved tensors do not stay where they are.
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

TrainState trained(const std::string& kind, const std::string& folder) {
  Run run = poisson_run({stage("adam", 60)});
  run.network = layers({8, 8, 8, 8, 8});
  run.memory = {.kind = kind, .threshold = 0};
  train(run, request(folder));
  return saved_state(folder);
}

}  // namespace

TEST_CASE("a run that saves on disk, or recomputes, takes the same steps to the last bit",
          "[train]") {
  const Folder folder;
  const TrainState disk = trained("disk", folder / "disk");
  const TrainState again = trained("recompute", folder / "recompute");

  CHECK(disk.parameters.values() == again.parameters.values());
  CHECK(disk.best.residual == again.best.residual);
}

TEST_CASE("a run that rounds what it saves stays close to one that does not", "[train]") {
  const Folder folder;
  const TrainState kept = trained("recompute", folder / "kept");
  for (const char* kind : {"bf16", "fp8_e4m3"}) {
    const TrainState rounded = trained(kind, folder / kind);
    CHECK(rounded.best.residual != kept.best.residual);
    CHECK(rounded.best.residual < 1.5 * kept.best.residual);
  }
}
