#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/residual/model.h"
#include "solvers/residual/step_cache.h"
#include "solvers/train/run.h"

namespace pinn {

/// A residual that is large where no point was: in a layer or a peak so narrow that evenly drawn
/// points pass it by.
struct Unseen {
  std::string residual;
  double times = 0;           ///< root mean square over the domain, over that at held-out points
  std::vector<double> place;  ///< [coordinates] of the most of it
};

/// The equations' residuals at points that ranges of their own formulas lead to
/// (solvers/train/point_sets.h), beside those at held-out points: those that are at least three
/// times as large there. What holds unknowns, normals or other places is not looked at.
std::vector<Unseen> unseen_residuals(const Run& run, const std::shared_ptr<const Model>& model,
                                     std::span<const double> p, ThreadPool& pool,
                                     const std::shared_ptr<StepCache>& cache);

}  // namespace pinn
