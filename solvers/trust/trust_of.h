#pragma once
#include "solvers/residual/loss/loss.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/results/trust.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

class JsonObject;

/// The residual of every equation at its held-out points, in quarters of each coordinate.
std::vector<Slices> residual_slices(const Run& run, const std::shared_ptr<const Model>& model,
                                    std::span<const double> p, ThreadPool& pool,
                                    const std::shared_ptr<StepCache>& cache);

/// Findings on the best network of a state that need no reference; nothing where `[output] trust`
/// is false.
Trust trust_of(const Run& run, const std::shared_ptr<const Model>& model, const TrainState& state,
               const LossOptions& options, ThreadPool& pool);

/// The findings, for status.json and for files of fields.
JsonObject trust_json(const Trust& trust);

}  // namespace pinn
