#pragma once
#include "solvers/residual/loss.h"
#include "solvers/train/run.h"
#include "solvers/train/run/state.h"
#include "solvers/train/trust.h"

namespace pinn {

/// Findings on the best network of a state that need no reference; nothing where `[output] trust`
/// is false.
Trust trust_of(const Run& run, const std::shared_ptr<const Model>& model, const TrainState& state,
               const LossOptions& options, ThreadPool& pool);

}  // namespace pinn
