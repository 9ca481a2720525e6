#include "solvers/points/point_sets.h"

#include <algorithm>
#include <cmath>

#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Points 0, 1, 2 ... with columns that say so.
PointSet numbered(std::size_t count) {
  PointSet points;
  points.count = count;
  for (std::size_t i = 0; i < count; ++i) {
    points.x.push_back(double(i));
    points.columns.insert(points.columns.end(), {10. * double(i), -double(i)});
  }
  return points;
}

}  // namespace

TEST_CASE("every point comes up once before any comes up again", "[train][batches]") {
  Batches batches(numbered(10), 4, {1, 2});
  std::vector<double> orders[2];
  for (int step = 0; step < 6; ++step) {
    const PointSet batch = batches.at(step);
    CHECK((batch.count == 3 || batch.count == 4));
    CHECK(batch.x.size() == batch.count);
    for (std::size_t i = 0; i < batch.count; ++i) {
      CHECK(batch.columns[2 * i] == 10 * batch.x[i]);
      CHECK(batch.columns[2 * i + 1] == -batch.x[i]);
    }
    std::vector<double>& order = orders[step / 3];
    order.insert(order.end(), batch.x.begin(), batch.x.end());
  }
  CHECK(orders[0] != orders[1]);
  for (std::vector<double>& order : orders) {
    std::sort(order.begin(), order.end());
    CHECK(order == numbered(10).x);
  }
}

TEST_CASE("a batch follows from the number of its step", "[train][batches]") {
  Batches one(numbered(30), 7, {1, 2}), other(numbered(30), 7, {1, 2});
  const std::vector<double> late = one.at(17).x;
  other.at(3);
  CHECK(other.at(17).x == late);
}

TEST_CASE("batches and clipping train, compiled as op by op", "[train][batches]") {
  Stage adam = stage("adam", 60);
  adam.batch = 10;
  adam.optimizer.clip = 0.5;
  const Folder folder;
  TrainRequest eager = request(folder / "eager");
  eager.eager = true;
  Run run = poisson_run({adam});
  train(run, request(folder / "compiled"));
  train(run, eager);
  run.stages[0].batch = 0;
  train(run, request(folder / "all"));
  run.stages[0].optimizer.clip = 0;
  train(run, request(folder / "unclipped"));

  const auto parameters = [&](const char* name) {
    return saved_state(folder / name).parameters.values();
  };
  const std::vector<double> a = parameters("compiled"), b = parameters("eager");
  // 60 moves of adam carry what rounding there is on: a division by a small mean square at most.
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(a[i] == Approx(b[i]).epsilon(1e-9).margin(1e-11));
  CHECK(a != parameters("all"));
  CHECK(parameters("all") != parameters("unclipped"));
}

TEST_CASE("a run with batches goes on bit for bit", "[train][batches]") {
  Stage adam = stage("adam", 40);
  adam.batch = 10;
  Run run = inverse_run({adam});
  const Folder folder;
  train(run, request(folder / "whole"));

  Run half = run;  // 23 is within a round of batches
  half.stages[0].optimizer.steps = 23;
  half.effective["stage.1.steps"] = "23";
  train(half, request(folder / "parts"));
  train(run, request(folder / "parts", true));

  CHECK(saved_state(folder / "parts").parameters.values() ==
        saved_state(folder / "whole").parameters.values());
}
