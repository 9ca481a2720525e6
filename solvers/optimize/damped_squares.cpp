#include "solvers/optimize/damped_squares.h"

#include <cmath>

#include "solvers/optimize/tall_qr.h"

namespace pinn {

using Eigen::MatrixXd, Eigen::VectorXd;

DampedSquares::DampedSquares(MatrixXd triangle, VectorXd scales)
    : triangle_(std::move(triangle)), scales_(std::move(scales)) {
  for (Eigen::Index k = 0; k < scales_.size(); ++k) triangle_.col(k) /= scales_[k];
}

std::vector<DampedStep> DampedSquares::steps(const std::vector<double>& dampings,
                                             ThreadPool* threads) const {
  std::vector<DampedStep> steps(dampings.size());
  run_tasks(threads, int(dampings.size()),
            [&](int i) { steps[std::size_t(i)] = step(dampings[std::size_t(i)]); });
  return steps;
}

// With z = D d and T the triangle of both, T z = -c, where T^T c = R^T (what r became).
DampedStep DampedSquares::step(double damping) const {
  const Eigen::Index n = scales_.size();
  DampedStep step;
  step.damping = damping;
  step.factor = triangle_;
  VectorXd diagonal = VectorXd::Constant(n + 1, std::sqrt(damping));
  diagonal[n] = 0;
  MatrixXd lower = diagonal.asDiagonal();
  stack(step.factor, lower);
  VectorXd z = -step.factor.col(n).head(n);
  step.factor.topLeftCorner(n, n).triangularView<Eigen::Upper>().solveInPlace(z);
  const VectorXd jz = triangle_.topLeftCorner(n, n).triangularView<Eigen::Upper>() * z;
  step.predicted = jz.squaredNorm() + 2 * damping * z.squaredNorm();
  step.d = z.cwiseQuotient(scales_);
  return step;
}

VectorXd DampedSquares::solve(const DampedStep& step, const VectorXd& g) const {
  const Eigen::Index n = scales_.size();
  const auto t = step.factor.topLeftCorner(n, n).triangularView<Eigen::Upper>();
  VectorXd x = g.cwiseQuotient(scales_);
  t.transpose().solveInPlace(x);
  t.solveInPlace(x);
  return x.cwiseQuotient(scales_);
}

}  // namespace pinn
