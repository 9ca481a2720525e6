#pragma once
#include "solvers/residual/formulas.h"
#include "solvers/train/run.h"
#include "solvers/train/trust.h"

namespace pinn {

/// The residual of every equation at its held-out points, in quarters of each coordinate.
std::vector<Slices> residual_slices(const Run& run, const std::shared_ptr<const Model>& model,
                                    std::span<const double> p, ThreadPool& pool,
                                    const std::shared_ptr<StepCache>& cache);

/// A slice whose residual is more than ten times that of the rest.
struct WorstPlace {
  const Slices* where = nullptr;  ///< null: there is none
  std::size_t slice = 0;
  double times = 0;  ///< the rest's
};
WorstPlace worst_place(const std::vector<Slices>& all);

}  // namespace pinn
