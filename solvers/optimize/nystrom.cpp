#include "solvers/optimize/nystrom.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <limits>

namespace pinn {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

/// Q of the factorization of a tall matrix.
MatrixXd orthonormal(const Eigen::HouseholderQR<MatrixXd>& qr) {
  return qr.householderQ() * MatrixXd::Identity(qr.rows(), qr.cols());
}

MatrixXd random_directions(std::size_t n, std::size_t rank, const Random& random) {
  MatrixXd w{Index(n), Index(rank)};
  for (std::size_t i = 0; i < n * rank; ++i) w.data()[i] = random.normal(i);
  return orthonormal(Eigen::HouseholderQR<MatrixXd>(w));
}

}  // namespace

VectorXd LowRank::solve(const VectorXd& v, double damping) const {
  const VectorXd known = directions.transpose() * v;
  const double rest = curvatures[curvatures.size() - 1] + damping;
  const VectorXd gain = 1 / (curvatures.array() + damping) - 1 / rest;
  return directions * gain.cwiseProduct(known) + v / rest;
}

LowRank nystrom(std::size_t n, std::size_t rank, const Random& random,
                const std::function<MatrixXd(const MatrixXd& w)>& products) {
  const MatrixXd w = random_directions(n, rank, random);
  MatrixXd y = products(w);
  MatrixXd core = w.transpose() * y;
  core = (0.5 * (core + core.transpose())).eval();
  const double rounding = std::numeric_limits<double>::epsilon() * y.norm();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> seen(core, Eigen::EigenvaluesOnly);
  const double shift = std::max(0.0, -2 * seen.eigenvalues()[0]) + rounding;
  y += shift * w;
  core.diagonal().array() += shift;
  const Eigen::LLT<MatrixXd> factor(core);
  factor.matrixL().transpose().solveInPlace<Eigen::OnTheRight>(y);

  const Eigen::HouseholderQR<MatrixXd> qr(y);
  const MatrixXd triangle = qr.matrixQR().topRows(qr.cols()).triangularView<Eigen::Upper>();
  const Eigen::BDCSVD<MatrixXd> svd(triangle, Eigen::ComputeThinU);
  return {orthonormal(qr) * svd.matrixU(),
          (svd.singularValues().array().square() - shift).max(0).matrix()};
}

}  // namespace pinn
