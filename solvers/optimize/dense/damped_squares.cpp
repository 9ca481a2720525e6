#include "solvers/optimize/dense/damped_squares.h"

#include <cmath>
#include <utility>

#include "solvers/optimize/dense/tall_qr.h"

namespace pinn {

using Eigen::Index, Eigen::VectorXd;

DampedSquares::DampedSquares(StripTriangle triangle, VectorXd scales, const Workers& workers)
    : triangle_(std::move(triangle)), scales_(std::move(scales)), workers_(workers) {
  triangle_.divide_columns(scales_);
}

std::vector<DampedStep> DampedSquares::steps(const std::vector<double>& dampings) const {
  std::vector<DampedStep> steps;
  std::vector<StripTriangle> roots;
  for (const double damping : dampings) {
    steps.push_back({damping, 0, {}, triangle_});
    roots.push_back(root(damping));
  }
  std::vector<StackedPair> pairs;
  for (std::size_t i = 0; i < steps.size(); ++i) pairs.push_back({&steps[i].factor, &roots[i]});
  stack(pairs, workers_);
  for (DampedStep& step : steps) solve(step);
  return steps;
}

/// sqrt(damping) on the diagonal, but for the last column.
StripTriangle DampedSquares::root(double damping) const {
  const StripCut& cut = triangle_.cut();
  StripTriangle root(cut);
  for (const Index s : cut.own_from(0)) {
    root.strip(s).bottomRows(cut.size(s)).diagonal().setConstant(std::sqrt(damping));
    if (s + 1 == cut.count()) root.strip(s)(cut.columns() - 1, cut.size(s) - 1) = 0;
  }
  return root;
}

// With z = D d and T the triangle of both, T z = -c, where T^T c = R^T (what r became). So
// |c|^2 = |T z|^2 = |R z|^2 + damping |z|^2, and |R z|^2 + 2 damping |z|^2 is what is predicted.
void DampedSquares::solve(DampedStep& step) const {
  VectorXd z = -step.factor.last_column(*workers_.ranks);
  step.predicted = z.squaredNorm();
  step.factor.solve(z, *workers_.ranks);
  step.predicted += step.damping * z.squaredNorm();
  step.d = z.cwiseQuotient(scales_);
}

VectorXd DampedSquares::solve(const DampedStep& step, const VectorXd& g) const {
  VectorXd x = g.cwiseQuotient(scales_);
  step.factor.solve_transposed(x, *workers_.ranks);
  step.factor.solve(x, *workers_.ranks);
  return x.cwiseQuotient(scales_);
}

}  // namespace pinn
