#pragma once
#include <Eigen/Core>

#include "solvers/optimize/dense/strips.h"

namespace pinn {

/// Columns of a strip of a matrix that is summed up and factored.
inline constexpr Eigen::Index square_strip = 128;

/// U with U^T U = A + shift I, by strips that threads and ranks share. Strips follow from the size
/// alone, so the bits do not depend on the number of either. Its calls are acts of all ranks.
///
/// There is no scaling of the diagonal first: the error of a Cholesky factorization is the same
/// under any (Higham 2002, Accuracy and Stability of Numerical Algorithms, theorem 10.6).
///
///   cost  n^3/3 flops, for A and U n^2 numbers / ranks
class StripCholesky {
 public:
  /// Takes the part of A on and above its diagonal.
  StripCholesky(StripTriangle a, Ranks& ranks);

  /// The sum of the diagonal of A.
  double trace() const { return diagonal_.sum(); }
  /// Factors A + shift I; false where that is not positive definite, and then nothing can be asked.
  bool factor(double shift, ThreadPool* threads);
  /// A v
  Eigen::VectorXd times(const Eigen::VectorXd& v) const;
  /// (A + shift I)^-1 v, of the latest shift.
  Eigen::VectorXd solve(Eigen::VectorXd v) const;
  /// U of the latest shift.
  const StripTriangle& factor() const { return u_; }

 private:
  Eigen::Index size(Eigen::Index s) const { return a_.cut().size(s); }
  bool factor_diagonal(Eigen::Index k);
  void exchange_row(Eigen::Index k);

  StripTriangle a_, u_;
  Eigen::VectorXd diagonal_;  ///< of A
  Ranks& ranks_;
  Eigen::MatrixXd corner_;  ///< of U, [size(k), size(k)] on the diagonal
  Eigen::MatrixXd row_;     ///< of U behind it: [size(k), n], of which columns from end(k) on count
};

}  // namespace pinn
