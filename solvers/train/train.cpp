#include "solvers/train/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "autograd/core/error.h"
#include "solvers/problem/integrals.h"
#include "solvers/results/results.h"
#include "solvers/state/choices.h"
#include "solvers/state/signals.h"
#include "solvers/train/adapt/weights.h"
#include "solvers/train/one_run.h"
#include "solvers/train/plan.h"
#include "solvers/train/session.h"

namespace pinn {

namespace {

/// True if some formula looks up what is trained; with `any`, whatever it looks up.
bool looks_up(const Run& run, bool any) {
  using Kind = Expression::Kind;
  std::vector<ExpressionPtr> formulas = run.problem.outputs;
  for (const Requirement& r : run.problem.requirements)
    for (const Residual& residual : r.residuals) formulas.push_back(residual.expression);
  formulas.insert(formulas.end(), run.output.expressions.begin(), run.output.expressions.end());
  for (const OutputValue& value : run.output.values)
    for (const Functional& functional : value.formula.functionals)
      formulas.push_back(functional.of);
  for (const ExpressionPtr& formula : formulas)
    for (const Expression* e : formula ? in_order(*formula) : std::vector<const Expression*>()) {
      if (e->kind != Kind::lookup) continue;
      for (const Kind kind : {Kind::field, Kind::unknown, Kind::raw_output, Kind::before})
        if (any || contains(*e, kind)) return true;
    }
  return false;
}

void require_given(const Run& run, Device device, bool eager) {
  if (!device.is_cpu() && looks_up(run, eager))
    throw ConfigError({eager ? "not yet: a table on a GPU, op by op"
                             : "not yet: a table of fields or unknowns on a GPU",
                       "[problem.functions]",
                       "set device = \"cpu\"; tables of the coordinates alone run on a GPU, "
                       "compiled"});
  if (!device.is_cpu() && directions_of(run) > 0)
    throw ConfigError({"not yet: Laplacians along drawn directions on a GPU",
                       "[run] derivatives = \"stochastic\"",
                       "set device = \"cpu\", or derivatives = \"taylor\""});
  for (const Stage& stage : run.stages)
    if (asks_jacobian(stage.weighting.kind) && !device.is_cpu())
      throw ConfigError({"a GPU gives no rows of the Jacobian yet, by which the weighting '" +
                             stage.weighting.kind + "' goes",
                         "stage " + stage.name,
                         "choose weighting = { kind = \"grad_norm\" }, or device = \"cpu\""});
}

/// Options that all ranks have to agree on beside the problem.
std::string asked(const TrainRequest& r) {
  std::string words = "no more than the file";
  if (r.eager) words += ", --eager";
  if (r.folder.resume) words += ", --resume";
  if (r.folder.overwrite) words += ", --overwrite";
  if (!r.init_from.empty()) words += ", --init-from " + r.init_from;
  if (r.force) words += ", --force";
  return words;
}

}  // namespace

TrainResult train(const Run& run, const TrainRequest& request) {
  Ranks& ranks = *request.ranks;
  Run own = run;
  const ChosenDevice device = choose_device(run.options.device, rank_on_machine(ranks));
  if (!device.device.is_cpu()) own.options.device = name_of(device.device);
  require_one_run(ranks, run, asked(request), device.kind);  // before there is a folder
  require_given(own, device.device, request.eager);
  std::optional<Signals> signals;
  if (!request.watch) signals.emplace();
  return Session(own, request).run_stages();
}

}  // namespace pinn
