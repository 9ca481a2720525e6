#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/problem/mistakes.h"
#include "solvers/residual/step/step_cache.h"
#include "solvers/trust/samples.h"

/// Jumps, layers and starts that the residuals of a result do not show.
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

/// A residual that is large where no point was: in a layer or a peak so narrow that evenly drawn
/// points pass it by.
struct Unseen {
  std::string residual;
  double times = 0;           ///< root mean square over the domain, over that at held-out points
  std::vector<double> place;  ///< [coordinates] of the most of it
};

/// The equations' residuals at points that ranges of their own formulas lead to
/// (solvers/points/point_sets.h), beside those at held-out points: those that are at least three
/// times as large there. What holds unknowns, normals or other places is not looked at.
std::vector<Unseen> unseen_residuals(const Run& run, const std::shared_ptr<const Model>& model,
                                     std::span<const double> p, ThreadPool& pool,
                                     const std::shared_ptr<StepCache>& cache);

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
