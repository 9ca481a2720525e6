// Whole runs on a GPU that moves parameters itself end where they end on the CPU. The GPU is a
// simulated one.
#include <cmath>

#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "tests/catch.h"
#include "tests/solvers/train/descents.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;
using cuda::DriverForNow;
using Order = SimulatedDriver::Order;

namespace {

/// Redraws at 7 and 11 steps, a change of stage, records, judgements.
Run whole_run(const std::string& device) {
  Run run = inverse_run({stage("adam", 70), stage("sgd", 50)});
  run.stages[1].optimizer.rate = 1e-6;
  run.options.device = device;
  return run;
}

double distance(const LossHistory& a, const LossHistory& b) {
  REQUIRE(!a.values.empty());
  REQUIRE(a.values.size() == b.values.size());
  double most = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (!std::isnan(a.values[i]) || !std::isnan(b.values[i]))
      most = larger(most, std::fabs(a.values[i] / b.values[i] - 1));
  return most;
}

}  // namespace

TEST_CASE("a run on a GPU has the history that it has on the CPU", "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const Folder folder;
  train(whole_run("cuda"), request(folder / "there"));
  train(whole_run("cpu"), request(folder / "here"));
  const TrainState there = saved_state(folder / "there"), here = saved_state(folder / "here");
  CHECK(there.history.steps == here.history.steps);
  CHECK(distance(there.history, here.history) <= two_gradients);
  CHECK(there.best.step == here.best.step);
  CHECK(there.draws[0].count == here.draws[0].count);
  CHECK(distance(there.parameters, here.parameters) <= two_gradients);
  REQUIRE(there.memory.size() == here.memory.size());
  // Sums of gradients, which are small differences where the loss is small: 1.2e-8 apart built for
  // x86-64-v2.
  for (const auto& [name, tensor] : here.memory[1].tensors)
    CHECK(distance(there.memory[1].tensors.at(name), tensor) <= 10 * two_gradients);
}

TEST_CASE("a run on a GPU that is stopped after all its moves ends as one never stopped",
          "[train][cuda][descent][resume]") {
  const DriverForNow now(simulated(GENERATE(Order::needed_only, Order::shuffled)));
  const Folder folder;
  train(whole_run("cuda"), request(folder / "whole"));
  Run run = whole_run("cuda");
  run.options.max_time = 1e-9;
  run.options.checkpoint.every = 3;  // also a limit to what is made at once
  int sittings = 1;
  while (train(run, request(folder / "pieces", true)).interrupted) ++sittings;
  CHECK(sittings > 30);
  CHECK(identical(saved_state(folder / "whole"), saved_state(folder / "pieces")));
}

TEST_CASE("a checkpoint from a GPU goes on on the CPU, and back",
          "[train][cuda][descent][resume]") {
  const DriverForNow now(simulated());
  const Folder folder;
  train(whole_run("cpu"), request(folder / "whole"));
  const char* device = "cuda";
  for (bool goes_on = true; goes_on;) {
    Run run = whole_run(device);
    run.options.max_time = 1e-9;
    goes_on = train(run, request(folder / "pieces", true)).interrupted;
    device = std::string(device) == "cuda" ? "cpu" : "cuda";
  }
  const TrainState pieces = saved_state(folder / "pieces"), whole = saved_state(folder / "whole");
  CHECK(pieces.step == whole.step);
  CHECK(distance(pieces.parameters, whole.parameters) <= two_gradients);
  CHECK(pieces.memory[1].moves == whole.memory[1].moves);
}

TEST_CASE("a run that diverges on a GPU says so at the step at which it does on the CPU",
          "[train][cuda][descent][errors]") {
  const DriverForNow now(simulated());
  const Folder folder;
  const auto message = [&](const std::string& device) {
    Run run = poisson_run({stage("sgd", 200)});
    // Fine up to move 15, which goes so far that squares overflow.
    run.stages[0].optimizer.schedule = {"step", 0, 1e200, 15, 0};
    run.options.device = device;
    try {
      train(run, request(folder / device));
      return std::string("it did not diverge");
    } catch (const NumericsError& error) {
      return error.report.what + error.report.fix;
    }
  };
  const std::string here = message("cpu");
  CHECK_THAT(here, Contains("the loss became"));
  CHECK(message("cuda") == here);
  CHECK(saved_state(folder / "cuda").step == saved_state(folder / "cpu").step);
}

TEST_CASE("training on a GPU ends with all its stages when the loss is small enough",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const Folder folder;
  for (const char* device : {"cpu", "cuda"}) {
    Run run = poisson_run({stage("adam", 500), stage("sgd", 500)});
    run.options.stop_below = 20;
    run.options.device = device;
    train(run, request(folder / device));
  }
  const TrainState there = saved_state(folder / "cuda"), here = saved_state(folder / "cpu");
  CHECK(there.stage == 2);
  CHECK(there.memory.size() == 1);
  CHECK(there.step < 500);
  CHECK(there.step == here.step);
  CHECK(there.step % 10 != 0);  // in the middle of moves that were begun at once
}

TEST_CASE("a run whose patience ran out before makes one step on a GPU as on the CPU",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const Folder folder;
  for (const char* device : {"cpu", "cuda"}) {
    Run run = poisson_run({stage("adam", 300)});
    run.stages[0].optimizer.rate = 1e-30;  // so that nothing becomes better
    run.options.patience = 100;
    run.options.device = device;
    run.effective["stage.1.steps"] = "300";
    train(run, request(folder / device));
    run.stages[0].optimizer.steps = 500;
    run.effective["stage.1.steps"] = "500";
    train(run, request(folder / device, true));
  }
  const TrainState there = saved_state(folder / "cuda"), here = saved_state(folder / "cpu");
  CHECK(here.step == 101);
  CHECK(there.step == here.step);
  CHECK(there.memory[0].moves == 101);
  for (const auto& [name, tensor] : here.memory[0].tensors)
    CHECK(distance(there.memory[0].tensors.at(name), tensor) <= two_gradients);
}

TEST_CASE("batches of points train on a GPU as on the CPU", "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const Folder folder;
  for (const char* device : {"cpu", "cuda"}) {
    Run run = whole_run(device);
    run.stages[0].batch = 10;
    train(run, request(folder / device));
  }
  CHECK(distance(saved_state(folder / "cuda").parameters, saved_state(folder / "cpu").parameters) <=
        two_gradients);
}
