#include <cmath>

#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

OptimizerOptions newton_cg(int rank = 0, double damping = 0) {
  OptimizerOptions options;
  options.kind = "nystrom_newton_cg";
  options.rank = rank;
  options.damping = damping;
  return options;
}

/// sum_i (x_i^2 - 1)^2 and a coupling: its Hessian has negative curvature around 0.
struct Wells : CountedSquares {
  explicit Wells(std::size_t parameters) : CountedSquares(parameters) {}
  std::size_t rows() const override { return parameters; }
  void write_rows(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    for (std::size_t i = 0; i < parameters; ++i) {
      r[i] = x[i] * x[i] - 1;
      j[i * parameters + i] = 2 * x[i];
    }
  }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double sum = 0;
    for (std::size_t i = 0; i < parameters; ++i) {
      const double r = x[i] * x[i] - 1;
      sum += r * r;
      g[i] = 4 * r * x[i];
    }
    return sum;
  }
};

}  // namespace

TEST_CASE(
    "Newton's method with a small damping minimizes an ill-conditioned quadratic in few moves",
    "[optimize]") {
  for (const int rank : {5, 30}) {
    Quadratic quadratic(1e8, 30);
    Tensor p = full({30}, 1);
    OptimizerMemory memory;
    const auto optimizer = make_optimizer(newton_cg(rank, 1e-12), 30);
    for (int move = 0; move < 4; ++move) optimizer->advance(p, memory, quadratic);
    INFO("rank " << rank);
    CHECK(quadratic.value(p) < 1e-12);
  }
}

TEST_CASE("every move of Newton's method lowers the loss, from where the curvature is negative too",
          "[optimize]") {
  Wells wells(20);
  Tensor p = empty({20});
  for (int i = 0; i < 20; ++i) p.data<double>()[i] = 0.1 * std::sin(i + 1);
  OptimizerMemory memory;
  const auto optimizer = make_optimizer(newton_cg(), 20);
  double loss = wells.value(p);
  for (int move = 0; move < 50 && loss > 1e-20; ++move) {
    REQUIRE(optimizer->advance(p, memory, wells).stopped == "");
    const double next = wells.value(p);
    CHECK(next < loss);
    loss = next;
  }
  CHECK(loss <= 1e-20);
}

TEST_CASE("products with the Hessian are fewer with a preconditioner that knows it", "[optimize]") {
  long evaluations[2];
  for (const int k : {0, 1}) {
    Quadratic quadratic(1e8, 60);
    Tensor p = full({60}, 1);
    OptimizerMemory memory;
    const auto optimizer = make_optimizer(newton_cg(k ? 60 : 1, 1e-8), 60);
    optimizer->advance(p, memory, quadratic);  // draws
    evaluations[k] = optimizer->advance(p, memory, quadratic).evaluations;
  }
  CHECK(evaluations[1] < 10);
  CHECK(evaluations[0] > 5 * evaluations[1]);
}

TEST_CASE("the curvature is drawn anew every so many moves, and stays when the points change",
          "[optimize]") {
  OptimizerOptions often = newton_cg(3);
  often.refresh = 4;
  const auto optimizer = make_optimizer(often, 10);
  Rosenbrock rosenbrock;
  Tensor p = full({10}, -1);
  OptimizerMemory memory;
  std::vector<double> before;
  for (int move = 0; move < 12; ++move) {
    REQUIRE(optimizer->advance(p, memory, rosenbrock).stopped == "");
    optimizer->objective_changed(memory);
    const std::vector<double> now = memory.tensors.at("curvatures").values();
    CHECK((now == before) == (move % 4 != 0));
    before = now;
  }
  CHECK(memory.tensors.at("directions").shape() == Shape{10, 3});
}

TEST_CASE("Newton's method does not depend on the unit of the loss", "[optimize]") {
  Rosenbrock rosenbrock, scaled(1e6);
  Tensor p = full({10}, -1), q = full({10}, -1);
  OptimizerMemory memory, other;
  const auto optimizer = make_optimizer(newton_cg(), 10);
  for (int move = 0; move < 5; ++move) {
    optimizer->advance(p, memory, rosenbrock);
    optimizer->advance(q, other, scaled);
  }
  for (int k = 0; k < 10; ++k)
    CHECK(p.values()[k] == Approx(q.values()[k]).epsilon(1e-4).margin(1e-6));
}

TEST_CASE("a gradient of the wrong sign stops Newton's method with an honest reason",
          "[optimize]") {
  struct Uphill : Quadratic {
    using Quadratic::Quadratic;
    double evaluate(std::span<const double> x, std::span<double> g) override {
      const double value = Quadratic::evaluate(x, g);
      for (double& slope : g) slope = -slope;
      return value;
    }
  };
  Uphill uphill(10, 3);
  Tensor p = full({3}, 1);
  OptimizerMemory memory;
  const Move move = make_optimizer(newton_cg(), 3)->advance(p, memory, uphill);
  CHECK(move.stopped.starts_with(
      "line search failed along the steepest descent: no lower loss than "));
  CHECK(p.values() == std::vector<double>{1, 1, 1});
}

TEST_CASE("a memory of Newton's method lacks neither directions nor curvatures", "[optimize]") {
  const auto optimizer = make_optimizer(newton_cg(3), 10);
  Rosenbrock rosenbrock;
  Tensor p = full({10}, -1);
  OptimizerMemory memory;
  optimizer->advance(p, memory, rosenbrock);
  CHECK(optimizer->misfit(memory, 10) == "");
  CHECK(make_optimizer(newton_cg(4), 10)->misfit(memory, 10) == "its 'curvatures' is [3], not [4]");
  memory.tensors.erase("curvatures");
  CHECK(optimizer->misfit(memory, 10) == "it has one of 'directions' and 'curvatures'");
}
