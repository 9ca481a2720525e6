// Whole runs op by op on a GPU.
#include "autograd/cuda/gpu.h"
#include "solvers/train/plan.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

TrainResult train_eagerly(Run run, const std::string& device, const std::string& folder,
                          bool resume = false) {
  run.options.device = device;
  TrainRequest eager = request(folder, resume);
  eager.eager = true;
  return train(run, eager);
}

std::vector<double> parameters_in(const std::string& folder) {
  return saved_state(folder).parameters.values();
}

}  // namespace

TEST_CASE("a run op by op on a GPU learns what it learns on the CPU", "[train][device]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  for (const char* saved : {"keep", "cpu", "recompute", "bf16"}) {
    INFO(saved);
    Run run = inverse_run({stage("adam", 20), stage("lbfgs", 5)});
    run.memory.kind = saved;
    run.memory.threshold = 0;
    const Folder folder;
    train_eagerly(run, "cpu", folder / "cpu");
    train_eagerly(run, "cuda", folder / "gpu");
    train_eagerly(run, "cuda", folder / "again");
    const std::vector<double> here = parameters_in(folder / "cpu");
    const std::vector<double> there = parameters_in(folder / "gpu");
    CHECK(there == parameters_in(folder / "again"));
    REQUIRE(there.size() == here.size());
    // A number on the edge between two codes of bf16 may be rounded the other way.
    const double band = std::string(saved) == "bf16" ? 1e-2 : 1e-6;
    for (std::size_t i = 0; i < here.size(); ++i)
      CHECK(there[i] == Approx(here[i]).epsilon(band).margin(band));
  }
}

TEST_CASE("a run begun on a GPU goes on there to the last bit, and goes on on the CPU",
          "[train][device]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  const Run part = inverse_run({stage("adam", 12)}), whole = inverse_run({stage("adam", 24)});
  const Folder folder;
  train_eagerly(whole, "cuda", folder / "whole");
  for (const char* name : {"gpu", "cpu"}) train_eagerly(part, "cuda", folder / name);
  train_eagerly(whole, "cuda", folder / "gpu", true);
  train_eagerly(whole, "cpu", folder / "cpu", true);

  CHECK(parameters_in(folder / "gpu") == parameters_in(folder / "whole"));
  const std::vector<double> one = parameters_in(folder / "cpu");
  const std::vector<double> other = parameters_in(folder / "whole");
  for (std::size_t i = 0; i < one.size(); ++i)
    CHECK(one[i] == Approx(other[i]).epsilon(1e-8).margin(1e-10));
}

TEST_CASE("the plan says where the saved tensors of a GPU wait", "[train][device][plan]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  Run run = poisson_run({stage("adam", 5)});
  run.memory.kind = "cpu";
  run.options.device = "cpu";
  CHECK_THAT(plan_text(run), Contains("in the host's memory already: nothing is copied"));
  run.options.device = "cuda";
  CHECK_THAT(plan_text(run), Contains("only with --eager saved tensors of 64 KiB or more wait in "
                                      "pinned memory of the host"));
}
