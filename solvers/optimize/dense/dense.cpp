#include "solvers/optimize/dense/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace pinn {

using Eigen::MatrixXd, Eigen::VectorXd;

void add_product(Part c, const ConstPart& a, const ConstPart& b, double scale) {
  c.noalias() += scale * a * b;
}

void add_inner_product(Part c, const ConstPart& a, const ConstPart& b, double scale) {
  c.noalias() += scale * a.transpose() * b;
}

void add_outer_product(Part c, const ConstPart& a, const ConstPart& b, double scale) {
  c.noalias() += scale * a * b.transpose();
}

void add_square(Part c, const ConstPart& a, double scale) {
  c.selfadjointView<Eigen::Upper>().rankUpdate(a, scale);
}

MatrixXd product(const ConstPart& a, const ConstPart& b) {
  MatrixXd c = MatrixXd::Zero(a.rows(), b.cols());
  add_product(c, a, b);
  return c;
}

MatrixXd inner_product(const ConstPart& a, const ConstPart& b) {
  MatrixXd c = MatrixXd::Zero(a.cols(), b.cols());
  add_inner_product(c, a, b);
  return c;
}

MatrixXd outer_product(const ConstPart& a, const ConstPart& b) {
  MatrixXd c = MatrixXd::Zero(a.rows(), b.rows());
  add_outer_product(c, a, b);
  return c;
}

void solve_lower(const ConstPart& l, Part x) { l.triangularView<Eigen::Lower>().solveInPlace(x); }

void solve_lower_transposed(const ConstPart& l, Part x) {
  l.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

void solve_on_the_right(const ConstPart& l, Part x) {
  l.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(x);
}

void solve_upper_transposed(const ConstPart& u, Part x) {
  u.triangularView<Eigen::Upper>().transpose().solveInPlace(x);
}

Eigenpairs eigenpairs(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

// With b = L L^T and y = L^T x: L^-1 a L^-T y = value y.
Eigenpairs eigenpairs(const MatrixXd& a, const MatrixXd& b) {
  const MatrixXd l = cholesky(b);
  MatrixXd c = a;
  solve_lower(l, c);
  c.transposeInPlace();
  solve_lower(l, c);
  Eigenpairs pairs = eigenpairs(c);
  solve_lower_transposed(l, pairs.vectors);
  return pairs;
}

Orthonormal orthonormal(const MatrixXd& a) {
  MatrixXd room = a;
  const Eigen::HouseholderQR<Part> qr(room);
  return {qr.householderQ() * MatrixXd::Identity(a.rows(), a.cols()),
          qr.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>()};
}

VectorXd reflections(Part a) { return Eigen::HouseholderQR<Part>(a).hCoeffs(); }

MatrixXd cholesky(const MatrixXd& a) { return Eigen::LLT<MatrixXd>(a).matrixL(); }

}  // namespace pinn
