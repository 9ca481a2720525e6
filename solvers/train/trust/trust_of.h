#pragma once
#include "solvers/residual/loss.h"
#include "solvers/train/run.h"
#include "solvers/train/run/state.h"
#include "solvers/train/trust.h"

namespace pinn {

/// What can be told of the best network of a state without a reference; nothing where `[output]
/// trust` is false.
Trust trust_of(const Run& run, const std::shared_ptr<const Model>& model, const TrainState& state,
               const LossOptions& options, ThreadPool& pool);

}  // namespace pinn
