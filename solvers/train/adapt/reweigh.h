#pragma once
#include "solvers/residual/loss/loss.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

/// True if a stage weighs single points of requirement r: never those of data, of which an outlier
/// would weigh most.
bool weighs_points(const Run& run, const Stage& stage, std::size_t r);
/// True if any stage changes the weights of terms.
bool weighs_terms(const Run& run);
/// The terms whose weights a stage may change: not those of a requirement that says no, nor those
/// that the problem gives the weight 0.
std::vector<std::size_t> weighed_terms(const Run& run);

/// True if the stage at work changes weights before its next step, as it does where new points have
/// no weights yet; and the steps from now to a later change, many where there is none.
bool is_reweighing_due(const Run& run, const TrainState& state);
std::int64_t steps_to_reweighing(const Run& run, const TrainState& state);

/// The points of requirement r with the weights that the stage at work goes on with; of new points
/// they begin with 1, in the state too.
PointSet weighed_points(const Run& run, TrainState& state, std::size_t r);

/// Changes the weights that are due, by the loss at the parameters of the state, in both; whether
/// those of terms were.
bool reweigh(const Run& run, TrainState& state, Loss& loss);

/// "burgers 1.2, walls 30": of all terms.
std::string weights_text(const std::vector<LossTerm>& terms, std::span<const double> weights);

/// Steps between two changes of what a stage has; 0 of what it has not.
inline std::int64_t every(const WeightingOptions& o) {
  return o.kind.empty() ? 0 : std::max(1L, o.every);
}
inline std::int64_t every(const PointwiseOptions& o) {
  return o.kind.empty() ? 0 : std::max(1L, o.every);
}
inline std::int64_t every(const CausalOptions& o) {
  return o.chunks == 0 ? 0 : std::max(1L, o.every);
}

inline bool is_due(std::int64_t every, const TrainState& state) {
  return every > 0 && state.stage_step % every == 0;
}

inline std::size_t terms_in(const Run& run, std::size_t r) {
  return terms_of(run.problem.requirements[r], run.problem).size();
}

/// True if weights of points are due in the stage at work: by its steps, or because new points wait
/// for none yet.
bool are_points_due(const Run& run, const TrainState& state);

/// Changes all weights of points that are due, in state and loss, by residuals that no weight is
/// part of.
void reweigh_points(const Run& run, TrainState& state, Loss& loss);

}  // namespace pinn
