#include <algorithm>
#include <vector>

#include "solvers/optimize/dense/triangle.h"
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
    Rosenbrock rosenbrock(1, 4);
    Tensor p = full({4}, -1);
    const auto optimizer = maker(kind, p);
    OptimizerMemory memory;
    long evaluations = 0;
    long moves = 0;
    for (bool stopped = false; !stopped && moves < 20; ++moves) {
      const Move move = optimizer->advance(p, memory, rosenbrock);
      evaluations += move.evaluations;
      stopped = !move.stopped.empty();
      moves -= stopped;
    }
    INFO(kind);
    CHECK(evaluations == rosenbrock.evaluations);
    CHECK(memory.moves == moves);
    CHECK(moves >= 6);
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

namespace {

/// Keeps the points that it was asked for.
struct Recorded : Quadratic {
  std::vector<std::vector<double>> points;
  explicit Recorded(double condition) : Quadratic(condition) {}
  double evaluate(std::span<const double> x, std::span<double> g) override {
    points.emplace_back(x.begin(), x.end());
    return Quadratic::evaluate(x, g);
  }
  /// The step from the point before to point `at`, along a direction whose first component is d.
  double step(std::size_t at, double d) const { return (points[at][0] - points[at - 1][0]) / d; }
};

double length(const std::vector<double>& x) {
  double sum = 0;
  for (const double component : x) sum += component * component;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("the first trial of L-BFGS moves the parameters by one in all", "[optimize]") {
  Recorded quadratic(1);
  Tensor p = full({4}, 10);  // the gradient is 10 everywhere, |g|_1 = 40
  OptimizerMemory memory;
  maker("lbfgs", p)->advance(p, memory, quadratic);
  CHECK(quadratic.step(1, -10) == Approx(1.0 / 40).epsilon(1e-13));
}

TEST_CASE("the first trial of the dense method is 1.01 long, and at most the whole direction",
          "[optimize]") {
  for (const auto& [from, step] : {std::pair{10.0, 1.01 / 20}, {0.1, 1.0}}) {
    Recorded quadratic(1);
    Tensor p = full({4}, from);  // the gradient is p
    OptimizerMemory memory;
    maker("ssbroyden", p)->advance(p, memory, quadratic);
    CHECK(quadratic.step(1, -from) == Approx(step).epsilon(1e-13));
  }
}

TEST_CASE(
    "after a change of the objective the dense method keeps its directions and starts afresh "
    "with their length",
    "[optimize]") {
  Recorded quadratic(100);
  Tensor p = full({5}, 1);
  const auto optimizer = maker("ssbroyden", p);
  OptimizerMemory memory;
  for (int i = 0; i < 6; ++i) optimizer->advance(p, memory, quadratic);
  quadratic.target = 50;
  optimizer->objective_changed(memory);
  Tensor gradient = empty({5});
  quadratic.value_and_gradient(p, gradient);
  const std::vector<double> g = gradient.values();
  const std::vector<double> hg = product(memory.tensors.at("inverse_hessian"), gradient).values();
  double slope = 0;
  for (int i = 0; i < 5; ++i) slope += g[i] * hg[i];

  quadratic.points.clear();
  optimizer->advance(p, memory, quadratic);
  const double expected = std::min(1.0, 1.01 * length(g) / slope);
  CHECK(expected < 1);
  CHECK(quadratic.step(1, -hg[0]) == Approx(expected).epsilon(1e-10));
}

TEST_CASE("a move along which the slope does not grow teaches a quasi-Newton method nothing",
          "[optimize]") {
  struct Dome : CountedObjective {
    double curvature = 0;
    double evaluate(std::span<const double> x, std::span<double> g) override {
      for (int i = 0; i < 2; ++i) g[i] = 1 + curvature * x[i];
      return x[0] + x[1] + 0.5 * curvature * (x[0] * x[0] + x[1] * x[1]);
    }
  };
  for (const char* kind : {"lbfgs", "ssbroyden"})
    for (const double curvature : {0.0, -1.0}) {
      Dome dome;
      dome.curvature = curvature;
      Tensor p = zeros({2});
      OptimizerMemory memory;
      const Move move = maker(kind, p)->advance(p, memory, dome);
      INFO(kind << ", curvature " << curvature);
      CHECK(move.stopped == "");
      CHECK(dome.value(p) < 0);
      CHECK(memory.numbers.count("pairs") == 0);
      CHECK(memory.tensors.count("inverse_hessian") == 0);
    }
}

TEST_CASE("an inverse Hessian found to be negative along a move is forgotten", "[optimize]") {
  Rosenbrock rosenbrock;
  Tensor p = full({6}, -1);
  const auto optimizer = maker("ssbroyden", p);
  OptimizerMemory memory;
  for (int i = 0; i < 5; ++i) optimizer->advance(p, memory, rosenbrock);
  for (double& h : memory.tensors.at("inverse_hessian").data<double>()) h = -h;
  optimizer->advance(p, memory, rosenbrock);
  CHECK(memory.tensors.count("inverse_hessian") == 0);
  const double before = memory.numbers.at("value");
  CHECK(optimizer->advance(p, memory, rosenbrock).stopped == "");
  CHECK(memory.numbers.at("value") < before);
}

TEST_CASE("a direction that leads uphill is replaced by the steepest descent", "[optimize]") {
  Rosenbrock rosenbrock;
  Tensor p = full({6}, -1);
  const auto optimizer = maker("ssbroyden", p);
  OptimizerMemory memory;
  for (int i = 0; i < 5; ++i) optimizer->advance(p, memory, rosenbrock);
  for (double& d : memory.tensors.at("direction").data<double>()) d = -d;
  const double before = memory.numbers.at("value");
  CHECK(optimizer->advance(p, memory, rosenbrock).stopped == "");
  CHECK(memory.numbers.at("value") < before);
}
