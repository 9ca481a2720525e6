#pragma once
#include "solvers/residual/loss/loss.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

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
