#include <Eigen/Dense>
#include <random>

#include "solvers/optimize/tiled_cholesky.h"
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

}  // namespace

TEST_CASE("a factorization by tiles is the one of the whole matrix, whatever rest the tiles leave",
          "[optimize]") {
  for (const Index n : {1, 2, 127, 128, 129, 300, 512}) {
    const MatrixXd a = definite(n);
    TiledCholesky tiled(a);
    REQUIRE(tiled.factor(0.25, nullptr));
    const MatrixXd whole = Eigen::LLT<MatrixXd>(a + 0.25 * MatrixXd::Identity(n, n)).matrixL();
    INFO(n << " rows");
    CHECK((tiled.triangle() - whole).cwiseAbs().maxCoeff() < 1e-12 * whole.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("what a factorization by tiles solves satisfies the equations of its latest shift",
          "[optimize]") {
  const Index n = 300;
  const MatrixXd a = definite(n);
  const VectorXd v = VectorXd::LinSpaced(n, -1, 1);
  TiledCholesky tiled(a);
  CHECK(tiled.trace() == Approx(a.trace()));
  for (const double shift : {10.0, 1.0, 0.1}) {
    REQUIRE(tiled.factor(shift, nullptr));
    const VectorXd x = tiled.solve(v);
    CHECK((a * x + shift * x - v).norm() < 1e-10 * v.norm());
    CHECK((tiled.times(v) - a * v).norm() < 1e-12 * (a * v).norm());
  }
}

TEST_CASE("a factorization by tiles reads nothing below the diagonal", "[optimize]") {
  const Index n = 300;
  const MatrixXd a = definite(n);
  MatrixXd upper = a;
  upper.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));
  TiledCholesky whole(a), half(upper);
  REQUIRE(whole.factor(0.1, nullptr));
  REQUIRE(half.factor(0.1, nullptr));
  CHECK(half.triangle() == whole.triangle());
  CHECK(half.times(VectorXd::Ones(n)) == whole.times(VectorXd::Ones(n)));
}

TEST_CASE("a factorization by tiles has the same bits with any number of threads", "[optimize]") {
  const MatrixXd a = definite(400);
  TiledCholesky alone(a);
  REQUIRE(alone.factor(0.1, nullptr));
  for (const int count : {1, 2, 5}) {
    ThreadPool threads(count);
    TiledCholesky shared(a);
    REQUIRE(shared.factor(0.1, &threads));
    CHECK(shared.triangle() == alone.triangle());
  }
}

TEST_CASE("a matrix that is not positive definite has no factorization, until it is shifted",
          "[optimize]") {
  for (const Index negative : {0, 200, 299}) {
    MatrixXd a = MatrixXd::Identity(300, 300);
    a(negative, negative) = -1;
    TiledCholesky tiled(a);
    CHECK_FALSE(tiled.factor(0.5, nullptr));
    CHECK(tiled.factor(1.5, nullptr));
  }
}
