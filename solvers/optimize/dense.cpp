#include "solvers/optimize/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace pinn {

using Eigen::MatrixXd;

Eigenpairs eigenpairs(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

// With b = L L^T and y = L^T x: L^-1 a L^-T y = value y.
Eigenpairs eigenpairs(const MatrixXd& a, const MatrixXd& b) {
  const MatrixXd lower = cholesky(b);
  const auto l = lower.triangularView<Eigen::Lower>();
  MatrixXd c = l.solve(a);
  c = l.solve(c.transpose()).eval();
  Eigenpairs pairs = eigenpairs(c);
  l.transpose().solveInPlace(pairs.vectors);
  return pairs;
}

Orthonormal orthonormal(const MatrixXd& a) {
  const Eigen::HouseholderQR<MatrixXd> qr(a);
  return {qr.householderQ() * MatrixXd::Identity(a.rows(), a.cols()),
          qr.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>()};
}

MatrixXd cholesky(const MatrixXd& a) { return Eigen::LLT<MatrixXd>(a).matrixL(); }

}  // namespace pinn
