#include "solvers/optimize/dense/decompositions.h"

#include <algorithm>

#include "solvers/optimize/dense/dense.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

bool is_zero(const Kronecker& k) { return !(k.a.trace() > 0 && k.g.trace() > 0); }

MatrixXd damped(const MatrixXd& m, double damping) {
  MatrixXd result = m;
  result.diagonal().array() += damping * m.trace() / double(m.rows());
  return result;
}

/// The same product with both factors damped, and an A whose diagonal has mean 1.
Kronecker normal(const Kronecker& k, double damping) {
  const double scale = k.a.trace() / double(k.a.rows());
  return {damped(k.a / scale, damping), damped(k.g * scale, damping)};
}

/// m^-1 x
MatrixXd solved(const MatrixXd& m, MatrixXd x) {
  const MatrixXd l = cholesky(m);
  solve_lower(l, x);
  solve_lower_transposed(l, x);
  return x;
}

/// A basis T with T^T (S_1 + S_2) T = 1 and T^T S_1 T = diag(share).
struct Common {
  MatrixXd basis;
  VectorXd share;
  Common(const MatrixXd& first, const MatrixXd& second) {
    Eigenpairs both = eigenpairs(first, first + second);
    basis = std::move(both.vectors);
    share = both.values.cwiseMax(0).cwiseMin(1);
  }
};

}  // namespace

MatrixXd solve(const Kronecker& first, const Kronecker& second, double damping, const MatrixXd& d) {
  if (is_zero(first) && is_zero(second)) return MatrixXd::Zero(d.rows(), d.cols());
  if (is_zero(first)) return solve(second, first, damping, d);
  const Kronecker one = normal(first, damping);
  if (is_zero(second)) {
    return solved(one.g, solved(one.a, d).transpose()).transpose();
  }
  const Kronecker two = normal(second, damping);
  const Common a(one.a, two.a), g(one.g, two.g);
  MatrixXd x = product(inner_product(a.basis, d), g.basis);
  for (Index j = 0; j < x.cols(); ++j)
    for (Index i = 0; i < x.rows(); ++i) {
      const double p = a.share[i], q = g.share[j];
      x(i, j) /= std::max(p * q + (1 - p) * (1 - q), 1e-300);
    }
  return outer_product(product(a.basis, x), g.basis);
}

}  // namespace pinn
