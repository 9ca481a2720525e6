#include "solvers/optimize/least_squares/valley.h"

#include <cmath>

namespace pinn {
namespace {

using Eigen::VectorXd;

/// Share of a step at which the path is looked at for its curvature.
constexpr double probe = 0.1;
/// Largest share of a step that its acceleration, or a correction, may come to.
constexpr double most_of_step = 0.75;
/// Share of the predicted decrease from which on a step needs no correction.
constexpr double nearly = 0.9;

}  // namespace

TriedStep Valley::follow(const DampedStep& step, const OptimizerOptions& options) const {
  Reached reached = reach(step.d);
  if (options.geodesic) bend(step, reached);
  const double enough = start_.here.loss - nearly * step.predicted;
  for (int k = 0; k < options.corrections && !(reached.rows.loss <= enough); ++k)
    if (!correct(step, reached)) break;
  return {std::move(reached.d), reached.rows.loss};
}

Valley::Reached Valley::reach(VectorXd d) const {
  ++move_.evaluations;
  Rows rows = rows_at(*start_.squares, start_.p, d);
  return {std::move(d), std::move(rows)};
}

/// Adds half of the acceleration a of the path that the step begins, where that is small and does
/// better: a solves the same equations with the second derivative of R along d.
void Valley::bend(const DampedStep& step, Reached& reached) const {
  std::vector<double> second = reach(probe * step.d).rows.r, slope(second.size());
  start_.squares->jacobian_times(start_.p, {step.d.data(), std::size_t(step.d.size())}, slope);
  ++move_.evaluations;
  for (std::size_t i = 0; i < second.size(); ++i)
    second[i] = 2 / probe * ((second[i] - start_.here.r[i]) / probe - slope[i]);
  const VectorXd a = -model_.solve(step, transposed(second));
  if (!(size(a) < most_of_step * size(step.d))) return;
  Reached bent = reach(step.d + a / 2);
  if (bent.rows.loss < reached.rows.loss || !std::isfinite(reached.rows.loss))
    reached = std::move(bent);
}

/// Goes on towards the least |R(p + d)|^2 + damping |D d|^2 by the equations of p: whether that
/// came nearer.
bool Valley::correct(const DampedStep& step, Reached& reached) const {
  const auto damped = [&](const Reached& at) {
    return at.rows.loss + step.damping * std::pow(size(at.d), 2);
  };
  const VectorXd g =
      transposed(reached.rows.r) + step.damping * scales_.cwiseAbs2().cwiseProduct(reached.d);
  const VectorXd c = -model_.solve(step, g);
  if (!(size(c) < most_of_step * size(step.d))) return false;
  Reached next = reach(reached.d + c);
  const bool nearer = damped(next) < damped(reached);
  if (nearer) reached = std::move(next);
  return nearer;
}

/// J^T w
VectorXd Valley::transposed(const std::vector<double>& w) const {
  VectorXd g(Eigen::Index(start_.p.size()));
  start_.squares->transposed_times(start_.p, w, {g.data(), start_.p.size()});
  ++move_.evaluations;
  return g;
}

}  // namespace pinn
