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

/// A quantity that changes by more than its derivative says: it jumps where a formula, a table or a
/// unit of the network has a kink or a step, or one so narrow that no point sees it. The residuals
/// ask for that derivative, and miss what the jump adds to it.
struct Jump {
  std::string quantity;       ///< "u_x"
  std::string derivative;     ///< "u_xx"
  double size = 0;            ///< of the jump
  double relative = 0;        ///< over the largest |quantity|
  std::vector<double> place;  ///< [coordinates]
};

/// The largest jump of each quantity whose derivative is asked for, found without looking at
/// residuals: along some thousand short segments q(b) - q(a) is held against Gauss' quadrature of
/// the derivative as it is computed, and where the two differ the segment is halved until they
/// agree or it has hardly a length.
std::vector<Jump> hidden_jumps(const Run& run, const std::shared_ptr<const Model>& model,
                               std::span<const double> p, ThreadPool& pool,
                               const std::shared_ptr<StepCache>& cache);

}  // namespace pinn
