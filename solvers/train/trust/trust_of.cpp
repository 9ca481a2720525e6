#include "solvers/train/trust/trust_of.h"

#include "solvers/train/trust/estimate.h"
#include "solvers/train/trust/slices.h"
#include "solvers/train/trust/standard_errors.h"

namespace pinn {

Trust trust_of(const Run& run, const std::shared_ptr<const Model>& model, const TrainState& state,
               const LossOptions& options, ThreadPool& pool) {
  if (!run.output.trust) return {};
  const std::span<const double> p = state.best.parameters;
  const TrainedWindow window{std::shared_ptr<const Run>(std::shared_ptr<const Run>(), &run),
                             {model, {p.begin(), p.end()}},
                             state.weights};
  WarnedEstimates estimates = estimated_errors({window}, state, options, pool);
  WarnedErrors errors = standard_errors(run, model, p, state, options, pool);
  estimates.warnings.insert(estimates.warnings.end(), errors.warnings.begin(),
                            errors.warnings.end());
  return {residual_slices(run, model, p, pool, options.cache), std::move(estimates.errors),
          std::move(errors.errors), std::move(estimates.warnings)};
}

}  // namespace pinn
