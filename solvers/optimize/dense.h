#pragma once
#include <Eigen/Core>

/// Factorizations of small dense matrices, which are much to compile: once for all methods.
namespace pinn {

/// Eigenvalues [n], from small to large, and their vectors as columns.
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
/// Of a symmetric matrix [n, n].
///
///   cost    9 n^3 flops
Eigenpairs eigenpairs(const Eigen::MatrixXd& a);
/// The x with a x = value b x, of length 1 by b, symmetric and positive definite.
Eigenpairs eigenpairs(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// a = q r of a tall matrix [m, n]: q [m, n] with orthonormal columns, r [n, n] upper.
///
///   cost    4 m n^2 flops
struct Orthonormal {
  Eigen::MatrixXd q, r;
};
Orthonormal orthonormal(const Eigen::MatrixXd& a);

/// L [n, n], lower, with L L^T = a, symmetric and positive definite.
Eigen::MatrixXd cholesky(const Eigen::MatrixXd& a);

}  // namespace pinn
