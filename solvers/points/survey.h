#pragma once
#include "solvers/residual/loss/loss.h"
#include "solvers/state/run.h"

namespace pinn {

/// The residual of a run at any points, in float64, by the compiled step's own rows.
class Survey {
 public:
  /// `loss` says how the step is computed.
  Survey(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
         ThreadPool& pool);

  /// Size of requirement r's residual at each point: the root of the sum of weight * r_k^2 over its
  /// residuals r_k. `weights`: of all loss terms.
  ///
  ///   errors   NumericsError where it is not finite
  std::vector<double> operator()(std::span<const double> p, std::span<const double> weights,
                                 std::size_t r, const PointSet& points);

 private:
  const Run& run_;
  std::vector<PointSet> samples_;  ///< of requirements that are not looked at: a loss needs some
  Loss loss_;
  std::vector<double> rows_;
};

}  // namespace pinn
