#include <Eigen/Dense>
#include <random>
#include <stdexcept>

#include "solvers/optimize/dense/strip_cholesky.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/catch.h"

using namespace pinn;
using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

/// Positive definite, with eigenvalues that spread over six decades.
MatrixXd definite(Index n) {
  std::mt19937 random(unsigned(n) + 1);
  std::normal_distribution<double> normal;
  const MatrixXd m = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
  const MatrixXd q = Eigen::HouseholderQR<MatrixXd>(m).householderQ();
  const VectorXd values =
      VectorXd::LinSpaced(n, -3, 3).unaryExpr([](double x) { return std::pow(10, x); });
  return q * values.asDiagonal() * q.transpose();
}

StripCholesky cholesky(const MatrixXd& a, Ranks& ranks = alone()) {
  return {{StripCut(a.rows(), square_strip, ranks), a}, ranks};
}

MatrixXd factor_of(const StripCholesky& cholesky, Ranks& ranks = alone()) {
  return cholesky.factor().whole(ranks);
}

}  // namespace

TEST_CASE(
    "a factorization by strips is the one of the whole matrix, whatever rest the strips leave",
    "[optimize]") {
  for (const Index n : {1, 2, 127, 128, 129, 300, 512}) {
    const MatrixXd a = definite(n);
    StripCholesky strips = cholesky(a);
    REQUIRE(strips.factor(0.25, nullptr));
    const MatrixXd whole = Eigen::LLT<MatrixXd>(a + 0.25 * MatrixXd::Identity(n, n)).matrixU();
    INFO(n << " rows");
    CHECK((factor_of(strips) - whole).cwiseAbs().maxCoeff() < 1e-12 * whole.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("what a factorization by strips solves satisfies the equations of its latest shift",
          "[optimize]") {
  const Index n = 300;
  const MatrixXd a = definite(n);
  const VectorXd v = VectorXd::LinSpaced(n, -1, 1);
  StripCholesky strips = cholesky(a);
  CHECK(strips.trace() == Approx(a.trace()));
  for (const double shift : {10.0, 1.0, 0.1}) {
    REQUIRE(strips.factor(shift, nullptr));
    const VectorXd x = strips.solve(v);
    CHECK((a * x + shift * x - v).norm() < 1e-10 * v.norm());
    CHECK((strips.times(v) - a * v).norm() < 1e-12 * (a * v).norm());
  }
}

TEST_CASE("a factorization by strips reads nothing below the diagonal", "[optimize]") {
  const Index n = 300;
  const MatrixXd a = definite(n);
  MatrixXd upper = a;
  upper.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));
  StripCholesky whole = cholesky(a), half = cholesky(upper);
  REQUIRE(whole.factor(0.1, nullptr));
  REQUIRE(half.factor(0.1, nullptr));
  CHECK(factor_of(half) == factor_of(whole));
  CHECK(half.times(VectorXd::Ones(n)) == whole.times(VectorXd::Ones(n)));
}

TEST_CASE("a factorization by strips has the same bits with any number of ranks and threads",
          "[optimize]") {
  const Index n = 600;  // five strips
  const MatrixXd a = definite(n);
  const VectorXd v = VectorXd::LinSpaced(n, -1, 1);
  StripCholesky one = cholesky(a);
  REQUIRE(one.factor(0.1, nullptr));
  const MatrixXd factor = factor_of(one);
  const VectorXd solved = one.solve(v), times = one.times(v);
  for (const auto& [ranks, threads] : {std::pair{1, 1}, {1, 2}, {1, 5}, {2, 1}, {3, 2}, {7, 1}})
    test::on_ranks(ranks, [&, threads = threads](Ranks& some) {
      ThreadPool pool(threads);
      StripCholesky shared = cholesky(a, some);
      const bool factored = shared.factor(0.1, &pool);
      const bool same = factored && factor_of(shared, some) == factor &&
                        shared.solve(v) == solved && shared.times(v) == times &&
                        shared.trace() == one.trace();
      if (!same) throw std::runtime_error("other bits on rank " + std::to_string(some.rank()));
    });
}

TEST_CASE("a matrix that has no factor has none on any rank", "[optimize]") {
  MatrixXd a = MatrixXd::Identity(600, 600);
  a(300, 300) = -1;
  test::on_ranks(3, [&](Ranks& ranks) {
    StripCholesky shared = cholesky(a, ranks);
    if (shared.factor(0.5, nullptr) || !shared.factor(1.5, nullptr))
      throw std::runtime_error("wrong on rank " + std::to_string(ranks.rank()));
  });
}

TEST_CASE("a matrix that is not positive definite has no factorization, until it is shifted",
          "[optimize]") {
  for (const Index negative : {0, 200, 299}) {
    MatrixXd a = MatrixXd::Identity(300, 300);
    a(negative, negative) = -1;
    StripCholesky strips = cholesky(a);
    CHECK_FALSE(strips.factor(0.5, nullptr));
    CHECK(strips.factor(1.5, nullptr));
  }
}
