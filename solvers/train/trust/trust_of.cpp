#include "solvers/train/trust/trust_of.h"

#include "solvers/train/trust/estimate.h"
#include "solvers/train/trust/slices.h"
#include "solvers/train/trust/standard_errors.h"

namespace pinn {

Trust trust_of(const Run& run, const std::shared_ptr<const Model>& model, const TrainState& state,
               const LossOptions& options, ThreadPool& pool) {
  if (!run.output.trust) return {};
  const std::span<const double> p = state.best.parameters;
  WarnedErrors errors = standard_errors(run, model, p, state, options, pool);
  return {residual_slices(run, model, p, pool, options.cache),
          estimated_errors(run, *model, p, state, options, pool), std::move(errors.errors),
          std::move(errors.warnings)};
}

}  // namespace pinn
