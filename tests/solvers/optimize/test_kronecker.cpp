#include <Eigen/Dense>
#include <random>

#include "solvers/optimize/dense/decompositions.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/matrices.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;
using Eigen::Index, Eigen::MatrixXd;

namespace {

/// A symmetric matrix of that rank.
MatrixXd square(Index size, Index rank, unsigned seed) {
  const MatrixXd m = random_matrix(size, rank, seed);
  return m * m.transpose();
}

MatrixXd damped(const MatrixXd& m, double damping) {
  return m + damping * m.trace() / double(m.rows()) * MatrixXd::Identity(m.rows(), m.cols());
}

}  // namespace

TEST_CASE("a sum of two Kronecker products is inverted, and one alone, with their dampings",
          "[optimize]") {
  for (const double damping : {1e-2, 1e-6})
    for (const double second : {0.0, 1e-4, 1.0, 1e4}) {
      const Kronecker one{square(6, 6, 1), square(4, 2, 2)};
      const Kronecker two{square(6, 3, 3), second * square(4, 4, 4)};
      const MatrixXd d = random_matrix(6, 4, 5);
      for (const bool swapped : {false, true}) {
        const MatrixXd x = swapped ? solve(two, one, damping, d) : solve(one, two, damping, d);
        MatrixXd back = damped(one.a, damping) * x * damped(one.g, damping);
        if (second > 0) back += damped(two.a, damping) * x * damped(two.g, damping);
        INFO("damping " << damping << ", second " << second);
        CHECK((back - d).norm() < 1e-7 * d.norm());
      }
    }
  const Kronecker zero{MatrixXd::Zero(2, 2), MatrixXd::Zero(3, 3)};
  CHECK(solve(zero, zero, 1e-3, random_matrix(2, 3, 6)) == MatrixXd::Zero(2, 3));
}

TEST_CASE("K-FAC minimizes Rosenbrock's function, and every move lowers the loss", "[optimize]") {
  OptimizerOptions options;
  options.kind = "kfac";
  Rosenbrock rosenbrock;
  Tensor p = full({10}, -1);
  OptimizerMemory memory;
  double loss = 1;
  const auto optimizer = make_optimizer(options, 10);
  for (int move = 0; move < 300 && loss > 1e-20; ++move) {
    const Move made = optimizer->advance(p, memory, rosenbrock);
    REQUIRE(made.stopped == "");
    loss = rosenbrock.value(p);
    CHECK(loss < made.loss);
  }
  INFO(memory.moves << " moves");
  CHECK(loss <= 1e-20);
}

TEST_CASE("K-FAC moves all matrices by their own products, with the same bits on any threads",
          "[optimize]") {
  // Two vectors whose rows do not meet: their products are exact, and a move ends at the least.
  struct Two : Quadratic {
    ThreadPool* pool;
    explicit Two(ThreadPool* pool) : Quadratic(100, 8), pool(pool) {}
    ThreadPool* threads() override { return pool; }
    std::vector<KroneckerFactors> kronecker(std::span<const double> p) override {
      const KroneckerFactors all = Quadratic::kronecker(p)[0];
      std::vector<KroneckerFactors> parts = {{0, 1, 5, true, {1}, {}}, {5, 1, 3, false, {1}, {}}};
      for (KroneckerFactors& part : parts)
        for (std::size_t a = 0; a < part.n; ++a)
          for (std::size_t b = 0; b < part.n; ++b)
            part.g.push_back(all.g[(part.offset + a) * 8 + part.offset + b]);
      return parts;
    }
  };
  OptimizerOptions options;
  options.kind = "kfac";
  options.damping = 1e-10;
  TrainedSize size{8};
  size.matrices = {{0, 1, 5}, {5, 1, 3}};
  std::vector<std::vector<double>> ends;
  for (const int count : {1, 2, 5}) {
    ThreadPool threads(count);
    Two two(&threads);
    Tensor p = full({8}, 1);
    OptimizerMemory memory;
    REQUIRE(make_optimizer(options, size)->advance(p, memory, two).stopped == "");
    for (const double x : p.values()) CHECK(std::abs(x) < 1e-6);
    ends.push_back(p.values());
  }
  CHECK(ends[1] == ends[0]);
  CHECK(ends[2] == ends[0]);
}
