#pragma once
#include "autograd/core/error.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/residual/loss.h"

namespace pinn {

/// A loss that is no longer finite.
struct Divergence {
  std::int64_t step = 0, stage = 0;  ///< steps made before it; the stage from 0
  Loss::Result loss;
  std::vector<LossTerm> terms;  ///< of that loss
  OptimizerOptions optimizer;   ///< of the stage
  std::string saved = {};       ///< where the last finite state is, or ""
};

/// The step, the requirement and what to try.
Report report(const Divergence& divergence);

}  // namespace pinn
