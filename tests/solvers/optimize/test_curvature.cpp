#include <cmath>
#include <optional>
#include <vector>

#include "solvers/optimize/dense/triangle.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

/// Rosenbrock's function, with threads for the algebra.
struct Threaded : Rosenbrock {
  std::optional<ThreadPool> pool;
  Threaded(std::size_t parameters, int threads) : Rosenbrock(1, parameters) {
    if (threads > 0) pool.emplace(threads);
  }
  ThreadPool* threads() override { return pool ? &*pool : nullptr; }
};

struct Reached {
  Tensor p;
  OptimizerMemory memory;
};

Reached reached(Objective& objective, const std::string& curvature, std::int64_t parameters,
                int moves) {
  OptimizerOptions options;
  options.kind = "ssbroyden";
  options.curvature = curvature;
  const auto optimizer = make_optimizer(options, std::size_t(parameters));
  Reached run{empty({parameters}), {}};
  for (std::int64_t i = 0; i < parameters; ++i) run.p.data<double>()[i] = std::sin(double(i + 1));
  for (int move = 0; move < moves; ++move)
    if (!optimizer->advance(run.p, run.memory, objective).stopped.empty()) break;
  return run;
}

}  // namespace

TEST_CASE("moves with a dense inverse Hessian have the same bits on any number of threads",
          "[optimize]") {
  for (const std::string curvature : {"float64", "float32"}) {
    Threaded alone(600, 0);
    const std::vector<double> expected = reached(alone, curvature, 600, 12).p.values();
    for (const int threads : {1, 2, 5}) {
      Threaded objective(600, threads);
      INFO(curvature << " on " << threads << " threads");
      CHECK(reached(objective, curvature, 600, 12).p.values() == expected);
    }
  }
}

TEST_CASE("an inverse Hessian in float32 is that of float64 but for its last digits",
          "[optimize]") {
  constexpr std::int64_t n = 20;
  Rosenbrock rosenbrock(1, n);
  const Reached one = reached(rosenbrock, "float64", n, 10),
                other = reached(rosenbrock, "float32", n, 10);
  const Tensor exact = one.memory.tensors.at("inverse_hessian"),
               rounded = other.memory.tensors.at("inverse_hessian");
  CHECK(exact.dtype() == DType::float64);
  CHECK(rounded.dtype() == DType::float32);
  const std::vector<double> a = exact.values(), b = rounded.values();
  double largest = 0;
  for (const double x : a) largest = test::larger(largest, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(b[i] == Approx(a[i]).margin(1e-4 * largest));
}

TEST_CASE("an inverse Hessian in float32 leads to the minimum of Rosenbrock's function",
          "[optimize]") {
  Rosenbrock rosenbrock(1, 10);
  for (const double x : reached(rosenbrock, "float32", 10, 400).p.values())
    CHECK(x == Approx(1).margin(1e-8));
}

TEST_CASE("an update without its scale, or without the direction it was made for, is no memory",
          "[optimize]") {
  Rosenbrock rosenbrock(1, 10);
  OptimizerOptions options;
  options.kind = "ssbroyden";
  const auto optimizer = make_optimizer(options, 10);
  const OptimizerMemory good = reached(rosenbrock, "float64", 10, 5).memory;
  CHECK(optimizer->misfit(good, 10) == "");
  OptimizerMemory bad = good;
  bad.numbers.erase("scale");
  CHECK(optimizer->misfit(bad, 10) == "it has an 'update' without what goes with that");
  bad = good;
  bad.tensors.erase("direction");
  CHECK(optimizer->misfit(bad, 10) == "it has an 'update' without what goes with that");
  bad = good;
  bad.tensors["update"] = zeros({2, 10});
  CHECK(optimizer->misfit(bad, 10) == "its 'update' is [2, 10], not [4, 10]");
}

TEST_CASE("a memory whose update was made already, as older programs left it, goes on alike",
          "[optimize]") {
  Rosenbrock rosenbrock(1, 10);
  OptimizerOptions options;
  options.kind = "ssbroyden";
  const auto optimizer = make_optimizer(options, 10);
  Reached left = reached(rosenbrock, "float64", 10, 20),
          done = reached(rosenbrock, "float64", 10, 20);
  const Update update{done.memory.numbers.at("scale"), done.memory.tensors.at("update")};
  update_and_products(done.memory.tensors.at("inverse_hessian"), &update, {});
  done.memory.tensors.erase("update");
  done.memory.numbers.erase("scale");
  REQUIRE(optimizer->misfit(done.memory, 10) == "");
  for (int move = 0; move < 10; ++move)
    for (Reached* run : {&left, &done}) optimizer->advance(run->p, run->memory, rosenbrock);
  CHECK(left.p.values() == done.p.values());
}
