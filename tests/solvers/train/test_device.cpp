#include "autograd/choose_device.h"
#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "solvers/train/plan.h"
#include "solvers/train/train.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;
using cuda::DriverForNow;

namespace {

std::shared_ptr<SimulatedDriver> gpus(int count) {
  SimulatedDriver::Options options;
  options.devices = count;
  return std::make_shared<SimulatedDriver>(options);
}

}  // namespace

TEST_CASE("a device is found by its name, and told", "[train][device]") {
  const DriverForNow now(gpus(2));
  CHECK(choose_device("cpu").device.is_cpu());
  CHECK(choose_device("cpu").text == "cpu");
  CHECK(choose_device("cuda").device == Device{0});
  CHECK(choose_device("cuda:1").device == Device{1});
  CHECK(choose_device("cuda:1").text == "cuda:1 (simulated GPU, 0.2 GiB)");
}

TEST_CASE("auto is the first GPU where there is one", "[train][device]") {
  const DriverForNow now(gpus(1));
  CHECK(choose_device("auto").device == Device{0});
}

TEST_CASE("auto is the CPU where no GPU can be used, and says why", "[train][device]") {
  const auto driver = gpus(0);
  const DriverForNow now(driver);
  CHECK(choose_device("auto").device.is_cpu());
  CHECK(choose_device("auto").text == "cpu (no GPU: this machine has none)");
  driver->fail("devices");
  CHECK_THAT(choose_device("auto").text, Contains("it was asked to fail"));
}

TEST_CASE("a GPU that is not there is an error that names those that are", "[train][device]") {
  const DriverForNow now(gpus(2));
  for (const char* name : {"cuda:2", "cuda:99999999999999999999"}) try {
      choose_device(name);
      FAIL("there is one");
    } catch (const DeviceError& error) {
      CHECK(error.report.where == std::string("device = \"") + name + "\"");
      CHECK_THAT(error.report.what, Contains("this machine has 2 GPUs"));
      CHECK_THAT(error.report.fix, Contains("cuda:0 to cuda:1"));
    }
}

TEST_CASE("the plan names the device", "[train][device][plan]") {
  Run run = poisson_run({stage("adam", 5)});
  run.options.device = "cpu";
  CHECK_THAT(plan_text(run), Contains("device\n  cpu\n"));
  const DriverForNow now(gpus(2));
  run.options.device = "cuda:1";
  CHECK_THAT(plan_text(run), Contains("device\n  cuda:1 (simulated GPU, 0.2 GiB)\n"));
}

TEST_CASE("the memory of a GPU is limited as a run says", "[train][device]") {
  const DriverForNow now(gpus(1));
  limit_memory(Device{0}, 1 << 20);
  CHECK_THROWS_WITH(cuda::gpu(Device{0}).allocate(2 << 20),
                    Contains("the limit is 1.0 MiB ([memory] device_limit)"));
  limit_memory(Device{0}, 0);
  CHECK_NOTHROW(cuda::gpu(Device{0}).allocate(2 << 20));
}

TEST_CASE("a run takes no more of a GPU's memory than its file allows", "[train][device]") {
  const DriverForNow now(gpus(1));
  Run run = poisson_run({stage("adam", 5)});
  run.options.device = "cuda";
  run.options.device_limit = 4096;
  const Folder folder;
  CHECK_THROWS_WITH(train(run, request(folder / "small")),
                    Contains("out of memory on cuda:0") && Contains("([memory] device_limit)"));
  run.options.device_limit = 100 << 20;
  CHECK_NOTHROW(train(run, request(folder / "large")));
}

TEST_CASE("a GPU that fails in the middle of a run ends it with its own words",
          "[train][device][errors]") {
  const bool eager = GENERATE(false, true);
  CAPTURE(eager);
  const auto driver = gpus(1);
  const DriverForNow now(driver);
  Run run = poisson_run({stage("adam", 50)});
  run.options.device = "cuda";
  run.options.checkpoint.every = 10;
  const Folder folder;
  TrainRequest how = request(folder / "run");
  how.eager = eager;
  train(run, how);
  const int calls = driver->calls("synchronize");
  driver->fail("synchronize", calls / 2);
  how.folder.out = folder / "again";
  CHECK_THROWS_WITH(train(run, how), Contains("synchronize: it was asked to fail"));
  CHECK(saved_state(folder / "again").step > 0);
}
