#include <algorithm>
#include <vector>

#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

std::unique_ptr<Optimizer> maker(const std::string& kind, const Tensor& p) {
  OptimizerOptions options;
  options.kind = kind;
  return make_optimizer(options, p.numel());
}

/// Moves until the loss is at most `goal` or `most` evaluations are spent; returns the losses met.
std::vector<double> minimize(const std::string& kind, CountedObjective& objective, Tensor p,
                             double goal, long most) {
  const auto optimizer = maker(kind, p);
  OptimizerMemory memory;
  std::vector<double> losses = {objective.value(p)};
  objective.evaluations = 0;
  while (losses.back() > goal && objective.evaluations < most) {
    const Move move = optimizer->advance(p, memory, objective);
    REQUIRE(move.stopped == "");
    CHECK(move.loss == losses.back());
    losses.push_back(memory.numbers.at("value"));
  }
  return losses;
}

}  // namespace

TEST_CASE("both quasi-Newton methods minimize Rosenbrock's function in ten dimensions",
          "[optimize]") {
  for (const char* kind : {"lbfgs", "ssbroyden"}) {
    Rosenbrock rosenbrock;
    const auto losses =
        minimize(kind, rosenbrock, full({10}, -1), 1e-12, 200);  // 80 and 120 were enough
    INFO(kind << " took " << rosenbrock.evaluations << " evaluations");
    CHECK(losses.back() <= 1e-12);
  }
}

TEST_CASE("both quasi-Newton methods minimize an ill-conditioned quadratic", "[optimize]") {
  for (const auto& [kind, most] : {std::pair{"lbfgs", 800}, {"ssbroyden", 200}}) {
    Quadratic quadratic(1e6);
    const auto losses = minimize(kind, quadratic, full({50}, 1), 1e-12, most);
    INFO(kind << " took " << quadratic.evaluations << " evaluations");
    CHECK(losses.back() <= 1e-12);
  }
}

TEST_CASE("the dense method masters a condition number that defeats the limited one",
          "[optimize]") {
  Quadratic quadratic(1e10);
  CHECK(minimize("ssbroyden", quadratic, full({100}, 1), 1e-12, 400).back() <= 1e-12);
  CHECK(minimize("lbfgs", quadratic, full({100}, 1), 1e-12, 400).back() > 1);
}

TEST_CASE("every move of a quasi-Newton method lowers the loss", "[optimize]") {
  for (const char* kind : {"lbfgs", "ssbroyden"}) {
    Rosenbrock rosenbrock;
    const auto losses = minimize(kind, rosenbrock, full({10}, -1), 1e-12, 200);
    CHECK(std::is_sorted(losses.rbegin(), losses.rend()));
  }
}

TEST_CASE("a move knows how many evaluations it took", "[optimize]") {
  for (const std::string& kind : optimizer_kinds()) {
    Rosenbrock rosenbrock;
    Tensor p = full({4}, -1);
    const auto optimizer = maker(kind, p);
    OptimizerMemory memory;
    long evaluations = 0;
    for (int i = 0; i < 20; ++i)
      evaluations += optimizer->advance(p, memory, rosenbrock).evaluations;
    INFO(kind);
    CHECK(evaluations == rosenbrock.evaluations);
    CHECK(memory.moves == 20);
  }
}

TEST_CASE("a quasi-Newton method asks only once for the gradient at an accepted point",
          "[optimize]") {
  for (const char* kind : {"lbfgs", "ssbroyden"}) {
    Quadratic quadratic(10);
    Tensor p = full({3}, 1);
    const auto optimizer = maker(kind, p);
    OptimizerMemory memory;
    optimizer->advance(p, memory, quadratic);
    const Move second = optimizer->advance(p, memory, quadratic);
    Tensor gradient = empty({3});
    INFO(kind);
    CHECK(memory.numbers.at("value") == quadratic.value_and_gradient(p, gradient));
    CHECK(memory.tensors.at("gradient").values() == gradient.values());
    CHECK(second.loss > memory.numbers.at("value"));
  }
}

TEST_CASE("after a change of the objective the next move starts from its new value", "[optimize]") {
  for (const char* kind : {"lbfgs", "ssbroyden"}) {
    Quadratic quadratic(10);
    Tensor p = full({6}, 1);
    const auto optimizer = maker(kind, p);
    OptimizerMemory memory;
    for (int i = 0; i < 5; ++i) optimizer->advance(p, memory, quadratic);
    quadratic.target = 3;
    optimizer->objective_changed(memory);
    const double value = quadratic.value(p);
    INFO(kind);
    CHECK(optimizer->advance(p, memory, quadratic).loss == value);
    for (int i = 0; i < 30; ++i) optimizer->advance(p, memory, quadratic);
    for (const double x : p.values()) CHECK(x == Approx(3).epsilon(1e-6));
  }
}
