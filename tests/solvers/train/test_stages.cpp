#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Moves that change nothing in double precision.
Stage idle(long steps) {
  Stage s = stage("sgd", steps);
  s.optimizer.rate = 1e-300;
  return s;
}

}  // namespace

TEST_CASE("Poisson's equation in one dimension is solved to 1e-6 within 300 steps", "[train]") {
  Run run = poisson_run({stage("ssbroyden", 300)});
  run.networks = {layers({12, 12})};
  run.sampling[0].count = 64;
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].name == "u");
  CHECK(result.errors[0].l2 < 1e-6);
}

TEST_CASE("an unknown is found from readings", "[train]") {
  Run run = inverse_run({stage("ssbroyden", 400)});
  run.sampling[0].redraw = run.sampling[1].redraw = 0;
  run.networks = {layers({10})};
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  REQUIRE(result.unknowns.size() == 1);
  CHECK(result.unknowns[0].first == "k");
  CHECK(result.unknowns[0].second == Approx(9.8696).epsilon(1e-2));  // pi^2
}

TEST_CASE("a run of no steps ends with the network it began with", "[train]") {
  const Run run = poisson_run({stage("adam", 0)});
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  CHECK(std::isfinite(result.loss));
  REQUIRE(result.errors.size() == 1);
  CHECK(std::isfinite(result.errors[0].l2));
  CHECK(result.files.size() == 2);
  const TrainState state = saved_state(folder / "run");
  CHECK(state.step == 0);
  CHECK(state.best.parameters == state.parameters.values());

  CHECK(train(run, request(folder / "run", true)).loss == result.loss);
}

TEST_CASE("training ends with all its stages when the loss is small enough", "[train]") {
  Run run = poisson_run({stage("ssbroyden", 500), stage("adam", 500)});
  run.options.stop_below = 1e-2;
  const Folder folder;

  train(run, request(folder / "run"));

  const TrainState state = saved_state(folder / "run");
  CHECK(state.stage == 2);
  CHECK(state.memory.size() == 1);  // the second was never begun
  CHECK(state.step < 500);
  CHECK(state.best.step == state.step);  // judged at its last step
  CHECK(state.history.steps.back() == state.step);
}

TEST_CASE("a stage without a better held-out residual ends when patience does", "[train]") {
  Run run = poisson_run({idle(1000), idle(1000)});
  run.options.patience = 200;
  const Folder folder;

  train(run, request(folder / "run"));

  // Never better than as it begins, which is judged first; then 200 steps, and 200 in the second
  // stage.
  const TrainState state = saved_state(folder / "run");
  CHECK(state.best.smallest_step == 0);
  CHECK(state.step == 200 + 200);
}

TEST_CASE("a stage whose held-out residual falls too slowly ends", "[train]") {
  Run run = poisson_run({idle(1000), idle(1000)});
  run.options.gain = {.factor = 2, .steps = 300};
  const Folder folder;

  train(run, request(folder / "run"));

  // The first record of what is held out is of step 100; the second stage has those of the first.
  CHECK(saved_state(folder / "run").step == 100 + 300 + 300);
}

TEST_CASE("a gain is what the latest steps add to all before", "[train]") {
  TrainState state;
  state.history.set_columns({"loss", "held_out"});
  const auto falls = [&](std::int64_t step, double held_out) {
    state.history.add(step, {1, held_out});
    state.step = state.stage_step = step;
    return !gains_too_little({.factor = 2, .steps = 200}, state);
  };
  CHECK(falls(100, 8));
  CHECK(falls(200, 8));  // no step is 200 before the first
  CHECK(falls(300, 3.9));
  CHECK(falls(400, NAN));  // not judged
  CHECK_FALSE(falls(500, 2));
  CHECK(falls(600, 1.9));  // since step 400, when 3.9 was the least
  CHECK_FALSE(falls(700, 1.9));
  CHECK(falls(800, 0.9));
  CHECK_FALSE(gains_too_little({.factor = 0, .steps = 1}, state));
  state.step = state.stage_step = 850;
  CHECK_FALSE(gains_too_little({.factor = 2, .steps = 10}, state));  // none was judged in these
}

TEST_CASE("the best model is the latest of those that are about as good as any", "[train]") {
  BestModel best;
  const auto steps_of_best = [&](std::vector<double> residuals) {
    best = {};
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      best.offer(std::vector<double>{double(i)}, residuals[i], std::int64_t(i));
      steps.push_back(best.step);
    }
    return steps;
  };

  CHECK(steps_of_best({8, 4, 6, 6.1, 2}) == std::vector<std::int64_t>{0, 1, 2, 2, 4});
  // The bound does not drift: it is of the smallest, and not of the best before.
  CHECK(steps_of_best({4, 6, 9}) == std::vector<std::int64_t>{0, 1, 1});
  CHECK(best.parameters == std::vector<double>{1});
  CHECK(best.residual == 6);
  CHECK(best.smallest == 4);
  CHECK(best.smallest_step == 0);
}

TEST_CASE("results come from a model with a small held-out residual", "[train]") {
  Stage ruin = stage("sgd", 100);
  ruin.optimizer.rate = 1e-2;  // far too large for this curvature, yet clipped: no overflow
  ruin.optimizer.clip = 1;
  const Run run = poisson_run({stage("ssbroyden", 100), ruin});
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  const TrainState state = saved_state(folder / "run");
  CHECK(state.best.step == 100);
  CHECK(state.parameters.values() != state.best.parameters);
  CHECK(result.loss == state.best.residual);
  const H5Reader fields(folder / "run/fields.h5");
  const std::vector<double> u = fields.read<double>("/u").values,
                            x = fields.read<double>("/x").values;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double exact = std::sin(3.14159265358979323846 * x[i]);
    difference += (u[i] - exact) * (u[i] - exact);
    size += exact * exact;
  }
  CHECK(std::sqrt(difference / size) == Approx(result.errors[0].l2).epsilon(1e-3));
}

TEST_CASE("points are drawn anew at their steps, and readings never", "[train]") {
  const Folder folder;
  train(inverse_run({stage("adam", 40)}), request(folder / "run"));

  const TrainState state = saved_state(folder / "run");
  CHECK(state.draws[0].count == 5);  // before steps 8, 15, 22, 29, 36
  CHECK(state.draws[0].step == 35);
  CHECK(state.draws[1].count == 3);  // after 11, 22, 33 steps
  CHECK(state.draws[2].count == 0);
}

TEST_CASE("the history holds every tenth step and each stage's last", "[train]") {
  const Folder folder;
  train(inverse_run({stage("adam", 25), stage("sgd", 10)}), request(folder / "run"));

  const LossHistory history = saved_state(folder / "run").history;
  CHECK(history.columns == std::vector<std::string>{"loss", "poisson", "ends", "readings",
                                                    "held_out", "held_out:poisson", "held_out:ends",
                                                    "held_out:readings", "largest:poisson",
                                                    "largest:ends", "largest:readings", "error:u",
                                                    "unknown:k"});
  CHECK(history.steps == std::vector<std::int64_t>{10, 20, 25, 30, 35});
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    const double* row = history.values.data() + 13 * i;
    CHECK(row[0] == Approx(row[1] + 2 * row[2] + row[3]).epsilon(1e-12));  // the weights
    for (int k = 4; k <= 11; ++k) CHECK(std::isfinite(row[k]) == (i == 2 || i == 4));  // judged
    if (i != 2 && i != 4) continue;
    CHECK(row[4] == Approx(row[5] + 2 * row[6] + row[7]).epsilon(1e-12));
    CHECK(row[7] == Approx(row[3]).epsilon(1e-12));  // readings are all there is
    for (int k = 5; k <= 7; ++k) CHECK(row[k + 3] * row[k + 3] >= row[k]);  // largest, and mean
  }
}

TEST_CASE("an unknown is on record on its way, in the history, the metrics and the status",
          "[train]") {
  const Folder folder;
  train(inverse_run({stage("adam", 20)}), request(folder / "run"));

  const Checkpoint saved = newest_checkpoint(folder / "run").checkpoint.value();
  const LossHistory& history = saved.state.history;
  REQUIRE(history.values.size() == 2 * history.columns.size());
  const double before = history.values[history.columns.size() - 1], k = history.values.back();
  CHECK(k == saved.unknowns.at("k"));
  CHECK(before != k);
  CHECK(before == Approx(0.3).epsilon(0.5));  // where it starts; ten steps of 1e-2 in its logarithm
  CHECK_THAT(read_file(folder / "run/metrics.jsonl"),
             Contains(fmt::format("\"unknown:k\":{},", before)) &&
                 Contains(fmt::format("\"unknown:k\":{},", k)));
  CHECK_THAT(read_file(folder / "run/status.json"),
             Contains(fmt::format("\"unknowns\":{{\"k\":{}}}", k)));

  train(poisson_run({stage("adam", 5)}), request(folder / "forward"));
  CHECK_THAT(read_file(folder / "forward/metrics.jsonl"), !Contains("unknown"));
  CHECK_THAT(read_file(folder / "forward/status.json"), !Contains("unknown"));
}

TEST_CASE("a loss that overflows ends the run and keeps the last finite state", "[train][errors]") {
  Run run = inverse_run({stage("adam", 120), stage("sgd", 100)});
  run.stages[1].optimizer.rate = 1e200;
  const Folder folder;

  CHECK_THROWS_AS(train(run, request(folder / "run")), NumericsError);
  std::filesystem::remove_all(folder / "run");
  CHECK_THROWS_WITH(train(run, request(folder / "run")),
                    Contains("at step 12") && Contains("in requirement '") &&
                        Contains("run/checkpoint.h5, step 120") &&
                        Contains("--set stage.2.rate=1e+199 (now 1e+200)") &&
                        Contains("--set stage.2.clip=1.0"));
  const TrainState state = saved_state(folder / "run");
  CHECK(state.step == 120);
  for (const double p : state.parameters.values()) CHECK(std::isfinite(p));

  run.stages[1].optimizer.rate = 1e-4;
  train(run, request(folder / "run", true));
  CHECK(saved_state(folder / "run").step == 220);
}

TEST_CASE("a residual that is not a number at the start is told apart", "[train][errors]") {
  const auto p = problem({"x"}, {"u"}, {"u = sqrt(x)"});
  const Folder folder;
  const std::string kind = GENERATE("adam", "ssbroyden");
  CHECK_THROWS_WITH(train(run_of(*p, {stage(kind, 5)}), request(folder / "run")),
                    Contains("became nan at step 0, in requirement 'u = sqrt(x)'") &&
                        Contains("roots or logarithms"));
}

TEST_CASE("a GPU that is not there is refused before a folder is made", "[train][errors]") {
  Run run = poisson_run({stage("adam", 5)});
  run.options.device = "cuda:63";
  const Folder folder;
  CHECK_THROWS_AS(train(run, request(folder / "run")), DeviceError);
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
}
