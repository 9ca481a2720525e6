// Whole runs whose saved tensors do not stay where they are.
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

TrainState trained(const std::string& kind, const std::string& folder, bool eager = false) {
  Run run = poisson_run({stage("adam", 60)});
  run.networks = {layers({8, 8, 8, 8, 8})};
  run.memory = {.kind = kind, .threshold = 0};
  TrainRequest asked = request(folder);
  asked.eager = eager;
  train(run, asked);
  return saved_state(folder);
}

}  // namespace

TEST_CASE("a run that saves on disk, or recomputes, takes the same steps to the last bit",
          "[train]") {
  const Folder folder;
  const bool eager = GENERATE(false, true);
  const TrainState kept = trained("keep", folder / "keep", eager);
  for (const char* kind : {"disk", "recompute"}) {
    const TrainState saved = trained(kind, folder / kind, eager);
    CHECK(saved.parameters.values() == kept.parameters.values());
    CHECK(saved.best.residual == kept.best.residual);
  }
}

TEST_CASE("a run that rounds what it saves stays close to one that does not", "[train]") {
  const Folder folder;
  const TrainState kept = trained("keep", folder / "kept");
  for (const char* kind : {"bf16", "fp8_e4m3"}) {
    const TrainState rounded = trained(kind, folder / kind);
    CHECK(rounded.best.residual != kept.best.residual);
    CHECK(rounded.best.residual < 1.5 * kept.best.residual);
  }
}
