#include "solvers/train/begin.h"
#include "tests/catch.h"
#include "tests/solvers/train/identical.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

Stage averaged(const std::string& kind, long steps, double share, double rate = 1e-3) {
  Stage s = stage(kind, steps);
  s.average = share;
  s.optimizer.rate = rate;
  return s;
}

}  // namespace

TEST_CASE("the mean of the parameters forgets earlier ones as its share says", "[train]") {
  const double share = 0.97, kept = std::pow(share, 10);  // they are taken in every ten steps
  const auto at = [&](long steps) {
    return state_after(poisson_run({averaged("adam", steps, share)}));
  };
  const TrainState first = at(10), second = at(20), third = at(30);
  CHECK(first.average == first.parameters.values());
  for (std::size_t i = 0; i < first.average.size(); ++i) {
    const double mean = kept * first.average[i] + (1 - kept) * second.parameters.values()[i];
    CHECK(second.average[i] == Approx(mean).epsilon(1e-14));
    CHECK(third.average[i] ==
          Approx(kept * mean + (1 - kept) * third.parameters.values()[i]).epsilon(1e-13));
  }
  CHECK(at(9).average.empty());
}

TEST_CASE("a mean along steps of batches is a better result than any of them", "[train]") {
  const auto batches = [](double share) {
    Stage s = averaged("adam", 3000, share, 0.03);
    s.batch = 3;
    return state_after(poisson_run({s}));
  };
  const TrainState plain = batches(0), mean = batches(0.95);
  CHECK(mean.parameters.values() == plain.parameters.values());  // it changes no step
  CHECK(mean.best.smallest < 0.8 * plain.best.smallest);
}

TEST_CASE("a mean that is worse than the parameters themselves is no result", "[train]") {
  const TrainState plain = state_after(poisson_run({averaged("adam", 100, 0)}));
  const TrainState mean = state_after(poisson_run({averaged("adam", 100, 0.999)}));
  CHECK(mean.best.parameters == plain.best.parameters);
}

TEST_CASE("the stage after one with a mean begins from the better of both", "[train]") {
  const Run run = poisson_run({averaged("adam", 300, 0.99, 0.03), stage("adam", 0)});
  const TrainState two = state_after(run);
  const TrainState one = state_after(poisson_run({averaged("adam", 300, 0.99, 0.03)}));
  CHECK((two.parameters.values() == one.average ||
         two.parameters.values() == one.parameters.values()));
  CHECK(two.average.empty());
  CHECK(two.best.residual <= one.best.residual);
}

TEST_CASE("a run with a mean goes on to the same bits", "[train][resume]") {
  const Run run = poisson_run({averaged("adam", 40, 0.9), averaged("ssbroyden", 20, 0.9)});
  const Folder folder;
  REQUIRE(train_step_by_step(run, folder / "pieces") > 1);
  train(run, request(folder / "whole"));
  CHECK(are_same(folder / "pieces", folder / "whole"));
}
