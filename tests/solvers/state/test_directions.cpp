#include <set>

#include "solvers/points/point_sets.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Poisson's equation in five dimensions, its Laplacian along two directions a step.
Run drawn_run(std::vector<Stage> stages) {
  auto p = problem({"a", "b", "c", "f", "g"}, {"u"}, {"laplacian(u) = a*b - c"});
  Run run = run_of(*p, std::move(stages));
  run.output.grid.assign(5, 2);
  run.options.derivatives = "stochastic";
  run.options.directions = 2;
  return run;
}

}  // namespace

TEST_CASE("the directions of a step are different unit vectors, and follow from its number",
          "[train][directions]") {
  const Run run = drawn_run({stage("adam", 1)});
  std::set<std::vector<double>> seen;
  for (int step = 0; step < 200; ++step) {
    const std::vector<double> v = directions_for(run, 2, step);
    REQUIRE(v.size() == 10);
    const std::vector<double> first(v.begin(), v.begin() + 5), second(v.begin() + 5, v.end());
    for (const auto& one : {first, second}) {
      CHECK(std::count(one.begin(), one.end(), 1.0) == 1);
      CHECK(std::count(one.begin(), one.end(), 0.0) == 4);
    }
    CHECK(first != second);
    seen.insert(v);
  }
  CHECK(seen.size() == 20);  // 5 times 4 of them
  CHECK(directions_for(run, 2, 17) == directions_for(run, 2, 17));
}

TEST_CASE("each of many coordinates is drawn as often as another", "[train][directions]") {
  const Run run = drawn_run({stage("adam", 1)});
  constexpr int steps = 5000;
  std::vector<double> drawn(5);
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> v = directions_for(run, 2, step);
    for (std::size_t i = 0; i < v.size(); ++i) drawn[i % 5] += v[i];
  }
  // binomial with p = 2/5: five deviations
  for (const double count : drawn)
    CHECK(std::fabs(count - 0.4 * steps) < 5 * std::sqrt(steps * 0.4 * 0.6));
}

TEST_CASE("a run along drawn directions, stopped after every step, ends as one never stopped",
          "[train][directions][resume]") {
  const Run run = drawn_run({stage("adam", 70), stage("sgd", 50)});
  const Folder folder;

  train(run, request(folder / "whole"));
  train_step_by_step(run, folder / "pieces");

  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("along as many directions as there are coordinates training is that of exact Laplacians",
          "[train][directions]") {
  Run run = drawn_run({stage("adam", 100)});
  const Folder folder;
  const auto parameters = [&](const char* derivatives, int directions) {
    run.options.derivatives = derivatives;
    run.options.directions = directions;
    const std::string name = folder / (derivatives + std::to_string(directions));
    train(run, request(name));
    return saved_state(name).parameters.values();
  };
  const std::vector<double> exact = parameters("taylor", 2);
  CHECK(parameters("stochastic", 5) == exact);
  CHECK(parameters("stochastic", 2) != exact);
}
