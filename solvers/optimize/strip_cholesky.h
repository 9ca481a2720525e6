#pragma once
#include <Eigen/Core>

#include "autograd/core/parallel.h"

namespace pinn {

/// L with L L^T = A + shift I, by tiles that threads share. Tiles are cut from the size alone, so
/// the bits do not depend on the number of threads.
///
/// There is no scaling of the diagonal first: the error of a Cholesky factorization is the same
/// under any (Higham 2002, Accuracy and Stability of Numerical Algorithms, theorem 10.6).
///
///   cost  n^3/3 flops; A and L share one square
class TiledCholesky {
 public:
  /// a [n, n], symmetric; only what is on and above its diagonal is read.
  explicit TiledCholesky(Eigen::MatrixXd a);

  /// The sum of the diagonal of A.
  double trace() const { return diagonal_.sum(); }
  /// Factors A + shift I; false where that is not positive definite, and then nothing can be asked.
  bool factor(double shift, ThreadPool* threads);
  /// A v
  Eigen::VectorXd times(const Eigen::VectorXd& v) const;
  /// (A + shift I)^-1 v, of the latest shift.
  Eigen::VectorXd solve(Eigen::VectorXd v) const;
  /// The lower triangle of the latest shift.
  Eigen::MatrixXd triangle() const { return both_.triangularView<Eigen::Lower>(); }

 private:
  bool factor_tile(Eigen::Index first, Eigen::Index size);

  Eigen::MatrixXd both_;      ///< A above the diagonal; L on it and below
  Eigen::VectorXd diagonal_;  ///< of A
};

}  // namespace pinn
