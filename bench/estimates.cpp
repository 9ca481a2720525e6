#include <cmath>

#include "bench/clock.h"
#include "bench/workloads.h"
#include "configs/recorded.h"
#include "solvers/problem/pieces.h"
#include "solvers/records/fields/export.h"
#include "solvers/results/reference_error.h"
#include "solvers/results/results.h"
#include "solvers/state/windows.h"
#include "solvers/trust/estimate.h"

namespace pinn::bench {
namespace {

/// Distances of the best networks of a state from the reference, over all time.
std::vector<Distance> true_errors(const Run& run, const std::vector<TrainedNetwork>& networks,
                                  ThreadPool& pool) {
  const auto cache = std::make_shared<StepCache>();
  const ReferenceError whole(run, networks.back().model, cache);
  if (!whole.known()) return {};
  RunFormulas found(run, networks, whole.quantities(), cache);
  return whole.distances(found(whole.points(), pool));
}

Line line_of(const EstimatedError& e, const std::vector<Distance>& known) {
  Line line;
  line.add("field", e.field).add("relative", e.relative).add("absolute", e.absolute);
  line.add("explained", e.explained).add("at_least", e.at_least).add("zero", e.zero);
  line.add("why", e.why);
  for (const Distance& d : known)
    if (d.name == e.field) line.add(d.absolute ? "true_absolute" : "true_relative", d.l2);
  return line;
}

Line line_of(const Correction& c, const std::string& field, std::size_t f) {
  Line line;
  line.add("field", field).add("space", c.name).add("error", c.error(f)).add("share", c.share());
  line.add("nonlinear", c.nonlinear).add("open", c.open);
  return line.add("scatter", std::sqrt(c.fields[f].scatter / c.fields[f].size));
}

}  // namespace

void estimates(const Options& options, Journal& journal) {
  ThreadPool pool(options.threads);
  const Found found = found_run(options.folder);
  const Run run = recorded_run(found, options.folder);
  const TrainState& state = found.checkpoint->state;
  const std::vector<TrainedNetwork> networks = networks_of(run, state, pool, options.folder);
  const std::vector<TrainedWindow> windows = trained_windows(run, networks, state, pool);
  const Moment began = now();
  const WarnedEstimates told = estimated_errors(windows, state, LossOptions{}, pool);
  const double seconds = now().cpu - began.cpu;
  const std::vector<Distance> known = true_errors(run, networks, pool);
  for (const EstimatedError& e : told.errors.fields)
    journal.print(line_of(e, known).add("run", options.folder).add("seconds", seconds));
  if (!told.errors.absent.empty())
    journal.print(Line().add("run", options.folder).add("absent", told.errors.absent));
  for (const Report& warning : told.warnings)
    journal.print(Line().add("run", options.folder).add("warning", warning.what));
  if (options.row != "all") return;
  for (const Correction& c : corrections(windows, state, LossOptions{}, pool).all)
    for (std::size_t f = 0; f < c.fields.size(); ++f)
      journal.print(line_of(c, whole_fields(run.problem)[f], f).add("run", options.folder));
}

}  // namespace pinn::bench
