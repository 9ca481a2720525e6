#include "solvers/verify/claims.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "solvers/records/checkpoints/recorded_trust.h"
#include "solvers/records/fields/export.h"
#include "solvers/residual/step/step_cache.h"
#include "solvers/results/reference_error.h"
#include "solvers/results/values.h"
#include "solvers/state/choices.h"
#include "solvers/train/begin.h"
#include "solvers/trust/estimate.h"
#include "solvers/trust/trust_of.h"
#include "solvers/watch/judge.h"

namespace pinn {
namespace {

std::string in_window(const Run& run, std::size_t window) {
  return window_count(run) > 1 ? fmt::format(" in window {}", window + 1) : "";
}

std::string estimate_name(const std::string& field, bool at_least) {
  return "estimated error of " + field + (at_least ? ", at least" : "");
}

const BestModel& best_of(const TrainState& state, std::size_t window) {
  return window < state.finished.size() ? state.finished[window].best : state.best;
}

/// A field that is about 0 has an absolute error alone.
void add_estimate(Claims& all, const std::string& field, bool at_least, double relative,
                  double absolute) {
  all.push_back({estimate_name(field, at_least), std::isfinite(relative) ? relative : absolute,
                 ClaimSort::estimate});
}

void add_verdict(Claims& all, const Verdict& verdict, const std::vector<LossTerm>& terms,
                 const std::string& where) {
  all.push_back({"held-out residual" + where, verdict.held_out.total, ClaimSort::mean_square});
  for (std::size_t k = 0; k < terms.size(); ++k) {
    all.push_back({"held-out residual of " + terms[k].name + where, verdict.held_out.terms[k],
                   ClaimSort::mean_square});
    all.push_back(
        {"largest residual of " + terms[k].name + where, verdict.largest[k], ClaimSort::residual});
  }
}

void add_trust(Claims& all, const EstimatedErrors& estimates, const StandardErrors& unknowns) {
  for (const EstimatedError& e : estimates.fields)
    add_estimate(all, e.field, e.at_least, e.zero ? NAN : e.relative, e.absolute);
  for (std::size_t k = 0; k < unknowns.values.size(); ++k)
    all.push_back(
        {"standard error of " + unknowns.names[k], unknowns.values[k], ClaimSort::estimate});
}

/// Errors from the reference and values, of all time.
void add_figures(Claims& all, const Run& run, const std::vector<TrainedNetwork>& networks,
                 ThreadPool& pool, const std::shared_ptr<StepCache>& cache) {
  const ReferenceError reference(run, networks.front().model, cache);
  if (reference.known()) {
    RunFormulas found(run, networks, reference.quantities(), cache);
    for (const Distance& d : reference.distances(found(reference.points(), pool)))
      all.push_back({"error of " + d.name, d.l2, ClaimSort::distance});
  }
  for (const FoundValue& v : ValueMeter(run, result_nodes)(networks, pool, cache)) {
    all.push_back({"value of " + v.name, v.value, ClaimSort::number, v.quadrature});
    if (has_reference(run, v.name))
      all.push_back({"error of " + v.name, v.error, ClaimSort::distance});
  }
}

}  // namespace

LossOptions judging_options(const Run& run, const Model& model) {
  std::string told;
  LossOptions options;
  options.derivatives = choose_derivatives(run, model, told);
  options.saved = run.memory;
  options.saved.folder = std::filesystem::temp_directory_path().string();
  options.cache = std::make_shared<StepCache>();
  return options;
}

Claims claims_of(const Run& run, const Checkpoint& checkpoint, const std::string& file,
                 ThreadPool& pool) {
  const TrainState& state = checkpoint.state;
  require_windows(checkpoint, run, file);
  const auto cache = std::make_shared<StepCache>();
  const std::vector<TrainedNetwork> networks = networks_of(run, state, pool, run.path);
  const std::vector<TrainedWindow> windows = trained_windows(run, networks, state, pool);
  Claims all;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const Run& part = *windows[k].run;
    const auto& [model, p] = windows[k].network;
    LossOptions options = judging_options(part, *model);
    options.cache = cache;
    Judge judge(part, model, options, pool);
    if (k == 0) {
      std::vector<Draw> first(part.problem.requirements.size());
      all.push_back({"loss before the first step",
                     judge.training(model->initial_parameters(run.options.seed), first).total,
                     ClaimSort::mean_square});
    }
    add_verdict(all, judge(p), judge.terms(), in_window(run, k));
    if (k + 1 < windows.size()) continue;
    require_points(checkpoint, part, judge.terms(), file);
    const std::vector<double> unknowns = model->unknown_values(p);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      all.push_back({"unknown " + run.problem.unknowns[i].name, unknowns[i]});
    const Trust trust = trust_of(part, model, state, options, pool);
    add_trust(all,
              windows.size() > 1 && run.output.trust
                  ? estimated_errors(windows, state, options, pool).errors
                  : trust.estimates,
              trust.unknowns);
  }
  if (windows.size() == window_count(run)) add_figures(all, run, networks, pool, cache);
  return all;
}

Claims recorded_claims(const Run& run, const Checkpoint& checkpoint, std::string_view status) {
  const TrainState& state = checkpoint.state;
  Claims all;
  for (std::size_t k = 0; k <= state.finished.size(); ++k)
    all.push_back({"held-out residual" + in_window(run, k), best_of(state, k).residual,
                   ClaimSort::mean_square});
  for (const auto& [name, value] : checkpoint.best_unknowns)
    all.push_back({"unknown " + name, value});
  if (std::size_t(state.stage) < run.stages.size()) return all;  // the rest is of its end
  for (const auto& [name, value] : state.best.errors)
    all.push_back({"error of " + name, value, ClaimSort::distance});
  for (const auto& [name, value] : state.best.values)
    all.push_back({"value of " + name, value, ClaimSort::number});
  const RecordedTrust trust = recorded_trust(status, checkpoint);
  for (const RecordedEstimate& e : trust.estimates)
    add_estimate(all, e.field, e.at_least, e.relative, e.absolute);
  for (const auto& [name, value] : trust.standard_errors)
    all.push_back({"standard error of " + name, value, ClaimSort::estimate});
  return all;
}

/// The terms of a residual are about 1 and cancel: what is left has the more rounding in it, the
/// smaller it is, but never a tenth of it. The two sides of a distance are about 1.
double tolerance(const Claim& claim) {
  constexpr double usual = 1e-9, of_one = 1e-12, most = 0.1;
  const double size = std::abs(claim.value);
  if (claim.sort == ClaimSort::estimate) return 0.01 * size;
  if (claim.sort == ClaimSort::distance) return usual * size + of_one;
  if (claim.sort == ClaimSort::number) return usual * size + claim.scatter;
  const double residual = claim.sort == ClaimSort::mean_square ? std::sqrt(size) : size;
  return size * std::min(most, usual + of_one / residual);
}

}  // namespace pinn
