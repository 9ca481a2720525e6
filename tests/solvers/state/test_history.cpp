#include "solvers/state/state.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A history of one column, as a run records it from step `from` to step `to`.
void record(LossHistory& history, std::int64_t from, std::int64_t to) {
  for (std::int64_t step = from + record_every - from % record_every; step <= to;
       step += record_every)
    history.add(step, {double(step)});
}

std::int64_t lines_up_to(std::int64_t steps) {
  std::int64_t lines = 0;
  for (std::int64_t step = record_every; step <= steps; step += record_every)
    lines += is_kept(step, step);
  return lines;
}

}  // namespace

TEST_CASE("a history keeps all of the last steps and ever fewer of those before", "[train]") {
  LossHistory history{{"loss"}, {}, {}};
  history.add(3, {3});  // a stage that ended early
  record(history, 3, 6'400'000);

  CHECK(history.steps.front() == 3);
  CHECK(std::is_sorted(history.steps.begin(), history.steps.end()));
  for (std::size_t i = 0; i < history.steps.size(); ++i)
    REQUIRE(history.values[i] == double(history.steps[i]));
  const auto between = [&](std::int64_t from, std::int64_t to) {
    return std::count_if(history.steps.begin(), history.steps.end(),
                         [&](std::int64_t step) { return step > from && step <= to; });
  };
  CHECK(between(6'300'000, 6'400'000) == 10'000);
  CHECK(between(6'200'000, 6'300'000) == 5'000);
  CHECK(between(5'600'000, 6'000'000) == 5'000);
  CHECK(between(0, 3'200'000) == 5'001);
  CHECK(history.speed.size() == history.steps.size());
  CHECK(history.values.size() == history.steps.size());
}

TEST_CASE("a history grows with the logarithm of the steps", "[train]") {
  LossHistory history{{"loss"}, {}, {}};
  std::int64_t before = 0;
  for (std::int64_t steps = 400'000, step = 0; steps <= 12'800'000; step = steps, steps *= 2) {
    record(history, step, steps);
    const auto size = std::int64_t(history.steps.size());
    if (before > 0) CHECK(size - before == 5'000);
    before = size;
  }
}

TEST_CASE("a history that was saved and read goes on to be the same", "[train]") {
  LossHistory through{{"loss"}, {}, {}}, halves{{"loss"}, {}, {}};
  record(through, 0, 1'000'000);
  for (std::int64_t at = 0; at < 1'000'000; at += 33'340) {
    LossHistory read;  // as a checkpoint gives it back
    read.columns = halves.columns, read.steps = halves.steps;
    read.values = halves.values, read.speed = halves.speed;
    halves = read;
    record(halves, at, std::min<std::int64_t>(1'000'000, at + 33'340));
  }
  CHECK(halves.steps == through.steps);
  CHECK(halves.values == through.values);
}

TEST_CASE("what a history does not keep at one distance it keeps at no larger one", "[train]") {
  for (std::int64_t step = 10; step < 5000; step += 10)
    for (std::int64_t distance = 50'000; distance < 20'000'000; distance += 49'990)
      if (!is_kept(step, distance)) REQUIRE(!is_kept(step, distance + 49'990));
}

TEST_CASE("metrics.jsonl has a line every ten steps at first, and ever fewer further on",
          "[train]") {
  CHECK(lines_up_to(100'000) == 10'000);
  CHECK(lines_up_to(200'000) == 15'000);
  CHECK(lines_up_to(12'800'000) == 45'000);

  const Folder folder;
  Run run = run_of(*problem({"x"}, {"u"}, {"u_x = u"}), {stage("adam", 100'065)});
  run.stages[0].optimizer.rate = 1e-6;
  run.sampling[0].count = 4;
  run.networks = {layers({1})};
  train(run, request(folder / "run"));
  const std::string metrics = read_file(folder / "run/metrics.jsonl");
  const auto has = [&](int step) {
    return metrics.find("{\"step\":" + std::to_string(step) + ",") != metrics.npos;
  };
  for (const int step : {10, 99'990, 100'000, 100'020, 100'040, 100'060, 100'065}) CHECK(has(step));
  for (const int step : {100'010, 100'030, 100'050}) CHECK_FALSE(has(step));
  CHECK(saved_state(folder / "run").history.steps.size() == 10'007);
}
