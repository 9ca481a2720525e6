#pragma once
#include <Eigen/Core>
#include <vector>

#include "solvers/optimize/dense/strips.h"

namespace pinn {

/// The step that minimizes |J d + r|^2 + damping |D d|^2.
struct DampedStep {
  double damping = 0;
  double predicted = 0;  ///< |r|^2 - |J d + r|^2, by which the loss falls if R is linear
  Eigen::VectorXd d;
  StripTriangle factor;  ///< R of [J D^-1; sqrt(damping)]
};

/// Least squares with a damping, from the triangle of [J r] (tall_qr.h) and scales D. Its calls are
/// acts of all ranks.
///
///   source  Moré (1978), The Levenberg-Marquardt algorithm: implementation and theory, section 3
class DampedSquares {
 public:
  /// triangle [n + 1, n + 1], scales [n], above 0
  DampedSquares(StripTriangle triangle, Eigen::VectorXd scales, const Workers& workers);

  /// One per damping, above 0; threads and ranks share them.
  ///
  ///   cost  2/3 n^3 flops each
  std::vector<DampedStep> steps(const std::vector<double>& dampings) const;
  /// (J^T J + damping D^2)^-1 g, with the step's own damping.
  Eigen::VectorXd solve(const DampedStep& step, const Eigen::VectorXd& g) const;
  const Workers& workers() const { return workers_; }

 private:
  StripTriangle root(double damping) const;
  void solve(DampedStep& step) const;

  StripTriangle triangle_;  ///< of [J D^-1, r]
  Eigen::VectorXd scales_;
  Workers workers_;
};

}  // namespace pinn
