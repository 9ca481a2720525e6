#pragma once
#include <string>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/train/trust/samples.h"

namespace pinn {

/// Warnings of what the residuals of a result do not show.
struct Hidden {
  Warnings warnings = {};
  std::string why = {};  ///< so no estimate from residuals is a number; empty: nothing is hidden
};

/// Jumps and layers that a derivative does not see, if they are larger than `smallest`, relative to
/// what jumps; residuals where no point was; starts that are left at once. Of the first window that
/// has any.
Hidden hidden_from_residuals(const std::vector<TrainedWindow>& windows, double smallest,
                             ThreadPool& pool);

}  // namespace pinn
