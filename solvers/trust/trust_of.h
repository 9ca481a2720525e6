#pragma once
#include "solvers/records/logs/run_log.h"
#include "solvers/residual/loss/loss.h"
#include "solvers/results/trust.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

/// Findings on the best network of a state that need no reference; nothing where `[output] trust`
/// is false.
Trust trust_of(const Run& run, const std::shared_ptr<const Model>& model, const TrainState& state,
               const LossOptions& options, ThreadPool& pool);

/// The findings, for status.json and for files of fields.
JsonObject trust_json(const Trust& trust);

}  // namespace pinn
