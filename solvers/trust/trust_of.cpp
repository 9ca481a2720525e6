#include "solvers/trust/trust_of.h"

#include <cmath>

#include "solvers/records/logs/run_log.h"
#include "solvers/trust/estimate.h"
#include "solvers/trust/standard_errors.h"

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

JsonObject trust_json(const Trust& trust) {
  JsonObject json, slices, estimates, errors, noise;
  for (const Slices& of : trust.slices) {
    JsonObject one;
    for (std::size_t s = 0; s < of.residuals.size(); ++s)
      one.add(std::to_string(s + 1), of.residuals[s]);
    slices.add(of.term + " along " + of.coordinate, one);
  }
  for (const EstimatedError& e : trust.estimates.fields) {
    JsonObject one;
    one.add("relative", e.zero ? std::nan("") : e.relative).add("explained", e.explained);
    one.add("at_least", std::int64_t(e.at_least)).add("absolute", e.absolute);
    if (!e.why.empty()) one.add("why", e.why);
    estimates.add(e.field, one);
  }
  const StandardErrors& found = trust.unknowns;
  for (std::size_t k = 0; k < found.values.size(); ++k) errors.add(found.names[k], found.values[k]);
  for (const DataNoise& of : found.noise) {
    JsonObject one;
    one.add("deviation", of.deviation).add("freedom", of.freedom).add("determined", of.determined);
    noise.add(of.term, one);
  }
  if (!trust.slices.empty()) json.add("residuals", slices);
  if (!trust.estimates.fields.empty()) json.add("estimated_errors", estimates);
  if (!trust.estimates.absent.empty()) json.add("no_estimated_errors", trust.estimates.absent);
  if (!found.values.empty()) json.add("standard_errors", errors).add("noise", noise);
  if (!found.absent.empty()) json.add("no_standard_errors", found.absent);
  return json;
}

}  // namespace pinn
