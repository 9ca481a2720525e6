#pragma once
#include "solvers/residual/step/formulas.h"
#include "solvers/results/trust.h"
#include "solvers/state/run.h"

namespace pinn {

/// The residual of every equation at its held-out points, in quarters of each coordinate.
std::vector<Slices> residual_slices(const Run& run, const std::shared_ptr<const Model>& model,
                                    std::span<const double> p, ThreadPool& pool,
                                    const std::shared_ptr<StepCache>& cache);

}  // namespace pinn
