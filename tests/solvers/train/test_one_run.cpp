#include "solvers/train/one_run.h"

#include "autograd/cuda/gpu.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("what one rank has a reason for, all do", "[train][ranks]") {
  std::vector<std::string> first(3), second(3);
  on_ranks(3, [&](Ranks& ranks) {
    const auto r = std::size_t(ranks.rank());
    first[r] = agreed(ranks, "");
    second[r] = agreed(ranks, r == 0 ? "" : "rank " + std::to_string(r));
  });
  CHECK(first == std::vector<std::string>(3, ""));
  CHECK(second == std::vector<std::string>(3, "rank 1"));
}

TEST_CASE("a reason goes around with what is gathered next, and all hear it at once",
          "[train][ranks]") {
  std::vector<std::string> before(3), after(3);
  on_ranks(3, [&](Ranks& ranks) {
    const auto r = std::size_t(ranks.rank());
    const std::string own = r == 0 ? "" : "rank " + std::to_string(r);
    before[r] = heard(ranks, own);
    const double number = 1;
    gathered(ranks, std::span(&number, 1));
    after[r] = heard(ranks, own);
  });
  CHECK(before == std::vector<std::string>(3, ""));
  CHECK(after == std::vector<std::string>(3, "rank 1"));
}

TEST_CASE("parameters that differ in a bit are found on every rank", "[train][ranks][errors]") {
  std::vector<std::string> told(3);
  on_ranks(3, [&](Ranks& ranks) {
    std::vector<double> p = {1, 2, 3};
    require_same(ranks, p, 10);
    if (ranks.rank() == 2) p[1] = std::nextafter(2, 3);
    try {
      require_same(ranks, p, 20);
    } catch (const InternalError& e) {
      told[std::size_t(ranks.rank())] = e.report.what;
    }
  });
  CHECK(told == std::vector<std::string>(
                    3, "rank 2 of 3, on here has other parameters than rank 0 after step 20"));
}

TEST_CASE("a line says how many ranks and threads are at work", "[train][ranks]") {
  CHECK(group_text({}, 4) == "4 threads");
  on_ranks(2, [&](Ranks& ranks) {
    if (group_text({&ranks, {1, 1}}, 1) != "2 ranks x 1 thread" ||
        group_text({&ranks, {2, 4}}, 2) != "2 ranks x 2 to 4 threads")
      throw std::runtime_error(group_text({&ranks, {2, 4}}, 2));
  });
}

TEST_CASE("a line says how many GPUs are at work, and ranks take those of their machine in turns",
          "[train][ranks][cuda]") {
  SimulatedDriver::Options simulated;
  simulated.devices = 2;
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>(simulated));
  CHECK(gpus_text(alone(), choose_device("cuda")) == "cuda:0 (simulated GPU, 0.2 GiB)");
  CHECK(gpus_text(alone(), choose_device("cpu")) == "");
  std::vector<Device> devices(3);
  std::vector<std::string> told(3);
  on_ranks(3, [&](Ranks& ranks) {
    const auto own = std::size_t(ranks.rank());
    const ChosenDevice chosen = choose_device(own == 1 ? "cuda" : "auto", rank_on_machine(ranks));
    devices[own] = chosen.device;
    told[own] = gpus_text(ranks, chosen);
  });
  CHECK(devices == std::vector{Device{0}, Device{1}, Device{0}});
  for (const std::string& text : told)
    CHECK(text.starts_with("2 GPUs (simulated GPU, compute capability "));
  CHECK(choose_device("cuda:1", 2).device == Device{1});
}

TEST_CASE("ranks on devices of different kinds refuse to train", "[train][ranks][cuda][errors]") {
  std::vector<std::string> told(3);
  on_ranks(3, [&](Ranks& ranks) {
    try {
      require_one_run(ranks, Run(), "", ranks.rank() == 1 ? "the CPU" : "a GPU");
    } catch (const ConfigError& e) {
      told[std::size_t(ranks.rank())] = e.report.what;
    }
  });
  CHECK(told == std::vector<std::string>(3,
                                         "rank 1 of 3, on here computes on another kind of "
                                         "device, and so other digits"));
}
