#pragma once
#include <Eigen/Core>

/// Products and factorizations of dense matrices, which are much to compile: once for all methods.
namespace pinn {

/// A matrix, or a part of one.
using ConstPart = Eigen::Ref<const Eigen::MatrixXd>;
using Part = Eigen::Ref<Eigen::MatrixXd>;

/// c += scale a b
void add_product(Part c, const ConstPart& a, const ConstPart& b, double scale = 1);
/// c += scale a^T b
void add_inner_product(Part c, const ConstPart& a, const ConstPart& b, double scale = 1);
/// c += scale a b^T
void add_outer_product(Part c, const ConstPart& a, const ConstPart& b, double scale = 1);
/// c += scale a a^T, on and above the diagonal.
void add_square(Part c, const ConstPart& a, double scale = 1);

/// a b, a^T b and a b^T
Eigen::MatrixXd product(const ConstPart& a, const ConstPart& b);
Eigen::MatrixXd inner_product(const ConstPart& a, const ConstPart& b);
Eigen::MatrixXd outer_product(const ConstPart& a, const ConstPart& b);

/// x := L^-1 x, L^-T x, and x L^-T, with what is on and below the diagonal of l.
void solve_lower(const ConstPart& l, Part x);
void solve_lower_transposed(const ConstPart& l, Part x);
void solve_on_the_right(const ConstPart& l, Part x);
/// x := U^-T x, with what is on and above the diagonal of u.
void solve_upper_transposed(const ConstPart& u, Part x);

/// Eigenvalues [n], from small to large, and their vectors as columns.
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
/// Eigenpairs of a symmetric matrix [n, n].
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

/// Makes a [m, n] its triangle and, below it, the vectors of reflections 1 - tau v v^T, which begin
/// with 1: their tau [n].
///
///   cost    2 m n^2 flops
Eigen::VectorXd reflections(Part a);

/// L [n, n], lower, with L L^T = a, symmetric and positive definite.
Eigen::MatrixXd cholesky(const Eigen::MatrixXd& a);

}  // namespace pinn
