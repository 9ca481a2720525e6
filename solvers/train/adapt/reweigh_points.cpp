#include "solvers/train/adapt/reweigh.h"

#include <algorithm>
#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/state/windows.h"
#include "solvers/train/adapt/weights.h"

namespace pinn {
namespace {

bool waits(const Run& run, const Stage& stage, std::size_t r) {
  const Requirement& requirement = run.problem.requirements[r];
  return stage.causal.chunks > 0 && requirement.kind == Requirement::Kind::equation &&
         requirement.adapt && !is_integral(requirement) && time_of(run.problem) >= 0;
}

bool is_pointwise(const Run& run, const Stage& stage, std::size_t r) {
  const Requirement& requirement = run.problem.requirements[r];
  return !stage.pointwise.kind.empty() && requirement.adapt && !requirement.data &&
         !is_integral(requirement);
}

/// New points do not wait for the next change.
bool is_waiting_due(const Run& run, const TrainState& state, std::size_t r) {
  const Stage& stage = stage_of(run, state);
  return waits(run, stage, r) &&
         (is_due(every(stage.causal), state) || state.weighting.causal[r].empty());
}

/// The residuals of requirement r at its points, [points, terms], out of all rows of a loss whose
/// weights are 1.
std::vector<double> residuals_of(const Run& run, std::size_t r, const std::vector<double>& rows,
                                 const Loss& loss) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < r; ++i) first += loss.rows(i) * terms_in(run, i);
  const std::size_t terms = terms_in(run, r), points = loss.rows(r);
  std::vector<double> residuals(points * terms);
  for (std::size_t k = 0; k < terms; ++k)
    for (std::size_t i = 0; i < points; ++i)
      residuals[i * terms + k] = std::sqrt(double(points)) * rows[first + k * points + i];
  return residuals;
}

/// The weights that points have by the problem itself, whatever the stage.
std::vector<double> own_weights(const Run& run, const TrainState& state, std::size_t r) {
  const Requirement& requirement = run.problem.requirements[r];
  const bool none = !requirement.weight_at && !run.sampling[r].density &&
                    std::ranges::all_of(requirement.residuals, [](const Residual& one) {
                      return one.weight_at == nullptr;
                    });
  if (none) return {};
  Draw plain = state.draws[r];
  plain.weights.clear();
  return points_in_use(run, r, plain).weights;
}

/// Causal weight of each point of requirement r.
std::vector<double> waiting(const Run& run, const TrainState& state, std::size_t r,
                            const std::vector<double>& residuals) {
  const PointSet points = points_in_use(run, r, state.draws[r]);
  const std::size_t width = run.problem.coordinates.size(), terms = terms_in(run, r);
  const auto t = std::size_t(time_of(run.problem));
  const Coordinate& c = run.problem.coordinates[t];
  std::vector<double> time, squares;
  for (std::size_t i = 0; i < points.count; ++i) {
    time.push_back((points.x[i * width + t] - c.lower) / (c.upper - c.lower));
    squares.push_back(0);
    for (std::size_t k = 0; k < terms; ++k)
      squares.back() += residuals[i * terms + k] * residuals[i * terms + k];
  }
  return causal_weights(stage_of(run, state).causal, time, squares);
}

/// Weights a = c lam^2 of the points of requirement r.
void reweigh_points(const Run& run, TrainState& state, std::size_t r,
                    const std::vector<double>& residuals) {
  const Stage& stage = stage_of(run, state);
  Draw& draw = state.draws[r];
  PointFactors& factors = state.weighting.points[r];
  const std::size_t terms = terms_in(run, r);
  if (is_pointwise(run, stage, r) && is_due(every(stage.pointwise), state))
    change_factors(stage.pointwise, residuals, terms, factors);
  if (is_waiting_due(run, state, r)) state.weighting.causal[r] = waiting(run, state, r, residuals);
  const std::vector<double>& causal = state.weighting.causal[r];
  const std::size_t each = draw.weights.size() * terms / residuals.size();  // weights of a point
  for (std::size_t i = 0; i < draw.weights.size(); ++i) {
    const double lam = factors.factors.empty() ? 1 : factors.factors[i];
    draw.weights[i] = lam * lam * (causal.empty() ? 1 : causal[i / each]);
  }
}

}  // namespace

bool are_points_due(const Run& run, const TrainState& state) {
  if (is_due(every(stage_of(run, state).pointwise), state)) return true;
  for (std::size_t r = 0; r < state.draws.size(); ++r)
    if (is_waiting_due(run, state, r)) return true;
  return false;
}

bool weighs_points(const Run& run, const Stage& stage, std::size_t r) {
  return is_pointwise(run, stage, r) || waits(run, stage, r);
}

void reweigh_points(const Run& run, TrainState& state, Loss& loss) {
  std::vector<std::size_t> which;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    if (weighs_points(run, stage_of(run, state), r)) which.push_back(r);
  loss.set_weights(std::vector<double>(loss.terms().size(), 1));
  for (const std::size_t r : which)
    loss.set_point_weights(r, std::vector<double>(loss.point_weights(r), 1));
  std::vector<double> rows(loss.squares().rows());
  loss.squares().residual(state.parameters.data<double>(), rows);
  for (const std::size_t r : which) {
    reweigh_points(run, state, r, residuals_of(run, r, rows, loss));
    loss.set_point_weights(
        r, both_weights(loss.points(r), own_weights(run, state, r), state.draws[r].weights));
  }
  loss.set_weights(state.weights);
}

PointSet weighed_points(const Run& run, TrainState& state, std::size_t r) {
  const Stage& stage = stage_of(run, state);
  Draw& draw = state.draws[r];
  if (!weighs_points(run, stage, r)) {  // any more: stages may change between sittings
    draw.weights.clear();
    state.weighting.points[r] = {};
    state.weighting.causal[r].clear();
    return points_in_use(run, r, draw);
  }
  Draw plain = draw;
  plain.weights.clear();
  PointSet points = points_in_use(run, r, plain);
  const bool pointwise = is_pointwise(run, stage, r);
  const std::size_t weights = points.count * (pointwise ? terms_in(run, r) : 1);
  PointFactors& factors = state.weighting.points[r];
  std::vector<double>& causal = state.weighting.causal[r];
  const std::size_t factored = pointwise ? weights : 0;
  const bool goes_on = draw.weights.size() == weights && factors.factors.size() == factored &&
                       (causal.empty() || causal.size() == points.count);
  if (!goes_on) {
    draw.weights.assign(weights, 1);
    causal.clear();
    factors.start(factored);
  }
  points.weights = both_weights(points.count, points.weights, draw.weights);
  return points;
}

}  // namespace pinn
