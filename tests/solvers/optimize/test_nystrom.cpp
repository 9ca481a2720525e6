#include <Eigen/Dense>

#include "solvers/optimize/dense/decompositions.h"
#include "tests/catch.h"

using namespace pinn;
using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

const Random random_numbers{7, stream("nystrom", "test"), 0};

/// Symmetric with these eigenvalues.
MatrixXd with(const VectorXd& values) {
  const Index n = values.size();
  const Random random = random_numbers.child(1);
  MatrixXd m(n, n);
  for (Index i = 0; i < n * n; ++i) m.data()[i] = random.normal(std::uint64_t(i));
  const MatrixXd q = Eigen::HouseholderQR<MatrixXd>(m).householderQ();
  return q * values.asDiagonal() * q.transpose();
}

LowRank approximation(const MatrixXd& a, std::size_t rank) {
  return nystrom(std::size_t(a.rows()), rank, random_numbers,
                 [&](const MatrixXd& w) { return MatrixXd(a * w); });
}

MatrixXd whole(const LowRank& a) {
  return a.directions * a.curvatures.asDiagonal() * a.directions.transpose();
}

VectorXd decades(Index n, double from, double to) {
  return VectorXd::LinSpaced(n, from, to).unaryExpr([](double x) { return std::pow(10, x); });
}

}  // namespace

TEST_CASE("an approximation of full rank is the matrix", "[optimize]") {
  const MatrixXd a = with(decades(40, 0, -6));
  CHECK((whole(approximation(a, 40)) - a).norm() < 1e-13);
}

TEST_CASE("a matrix of low rank is known from as many products, and its directions are orthonormal",
          "[optimize]") {
  VectorXd values = VectorXd::Zero(200);
  values.head(12) = decades(12, 2, -2);
  const MatrixXd a = with(values);
  const LowRank known = approximation(a, 20);
  CHECK((whole(known) - a).norm() < 1e-11 * a.norm());
  CHECK((known.directions.transpose() * known.directions - MatrixXd::Identity(20, 20)).norm() <
        1e-12);
  CHECK(known.curvatures[0] == Approx(100));
}

TEST_CASE("an approximation is never above the matrix, and none of its curvatures is negative",
          "[optimize]") {
  const MatrixXd a = with(decades(80, 0, -3));
  const LowRank known = approximation(a, 20);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> rest(a - whole(known));
  CHECK(rest.eigenvalues()[0] > -1e-12);
  CHECK(known.curvatures.minCoeff() >= 0);
}

TEST_CASE("a matrix that is not definite has an approximation too", "[optimize]") {
  VectorXd values = decades(50, 2, -2);
  values.tail(3).setConstant(-5);
  const LowRank known = approximation(with(values), 30);
  CHECK(known.directions.allFinite());
  CHECK(known.curvatures.minCoeff() >= 0);
  CHECK(known.curvatures[0] == Approx(100).epsilon(0.2));
}

TEST_CASE("a damped inverse has the smallest curvature along what is not known", "[optimize]") {
  const LowRank known = approximation(with(decades(30, 0, -3)), 10);
  const VectorXd v = VectorXd::LinSpaced(30, -1, 1);
  const double damping = 0.01;
  const MatrixXd complement =
      MatrixXd::Identity(30, 30) - known.directions * known.directions.transpose();
  const MatrixXd filled =
      whole(known) + known.curvatures[9] * complement + damping * MatrixXd::Identity(30, 30);
  CHECK((filled * known.solve(v, damping) - v).norm() < 1e-12 * v.norm());
}
