// Reports on a training: how it stands, what it came to, why it cannot go on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/problem/checks.h"
#include "solvers/results/results.h"
#include "solvers/train/training.h"
#include "solvers/trust/trust_of.h"
#include "solvers/watch/advice.h"

namespace pinn {

void Training::diverged(const Loss::Result& loss) {
  Divergence found{state_.step, state_.stage, loss, loss_->terms(), stage().optimizer};
  LossHistory history = std::move(state_.history);
  history.cut(last_finite_.step);
  state_ = copy_without_history(last_finite_);
  state_.history = std::move(history);
  found.saved = host_.diverged();
  found.powers = negative_powers(run_.problem);
  throw NumericsError(report(found));
}

double Training::loss() const { return objective_ ? objective_->latest().total : std::nan(""); }

ProgressView Training::view() const {
  ProgressView v{.stage = stage().name,
                 .stage_number = state_.stage + 1,
                 .stages = std::int64_t(run_.stages.size()),
                 .step = state_.stage_step,
                 .steps = stage().optimizer.steps,
                 .loss = objective_->latest().total,
                 .terms = {},
                 .errors = {},
                 .unknowns = unknowns(parameters()),
                 .points = std::int64_t(loss_->points())};
  for (std::size_t k = 0; k < objective_->latest().terms.size(); ++k)
    v.terms.push_back({loss_->terms()[k].name, objective_->latest().terms[k]});
  for (const Distance& d : verdict_.errors) v.errors.push_back({d.name, d.l2});
  if (verdict_.largest.empty()) return v;
  v.held_out = verdict_.held_out.total;
  const auto most = std::ranges::max_element(verdict_.largest);
  v.largest = *most;
  v.largest_in = judge_.terms()[std::size_t(most - verdict_.largest.begin())].name;
  return v;
}

std::vector<std::pair<std::string, double>> Training::unknowns(std::span<const double> p) const {
  const std::vector<double> values = model_->unknown_values(p);
  std::vector<std::pair<std::string, double>> named;
  for (std::size_t i = 0; i < values.size(); ++i)
    named.push_back({run_.problem.unknowns[i].name, values[i]});
  return named;
}

/// True if the residual that is larger at held-out points is a part of its terms worth telling.
bool Training::matters(const Gap& gap, std::span<const double> p) {
  const std::vector<Balance> now = balance(p);
  for (std::size_t k = 0; k < now.size(); ++k)
    if (now[k].name == gap.worst)
      return is_worth_telling(now[k], now[k].terms > 0 ? Balance{} : first_balance()[k]);
  return true;
}

std::vector<Balance> Training::balance(std::span<const double> p) {
  return balances(run_, model_, p, pool_, loss_options_.cache);
}

/// Before training.
std::vector<Balance> Training::first_balance() {
  return balance(model_->initial_parameters(run_.options.seed));
}

Warnings Training::unsolved(std::span<const double> p) {
  return unbalanced(balance(p), first_balance());
}

/// Judged anew, all of it: the result is the best network, and its figures are no older than
/// itself.
TrainResult Training::result(const std::optional<std::vector<Distance>>& errors) {
  const std::span<const double> p = state_.best.parameters;
  const Verdict verdict = judge_(p);
  const Loss::Result training = judge_.training(p, state_.draws);
  TrainResult result;
  result.step = state_.best.step;
  result.loss = verdict.held_out.total;
  for (std::size_t k = 0; k < judge_.terms().size(); ++k)
    result.terms.push_back(
        {judge_.terms()[k].name, training.terms[k], verdict.held_out.terms[k], verdict.largest[k]});
  result.unknowns = unknowns(p);
  result.errors = errors ? *errors : verdict.errors;
  if (state_.best.step != state_.step) {
    const Verdict last = judge_(parameters());
    result.last = {state_.step, last.held_out.total,
                   errors ? std::vector<Distance>() : last.errors};
  }
  result.trust = trust_of(run_, model_, state_, loss_options_, pool_);
  if (const Gap gap = judge_.gap(training, verdict.held_out);
      learned_by_heart(gap, first_loss()) && (matters(gap, p) || is_estimated_wrong(result.trust)))
    result.warnings.push_back(report(gap, state_.best.step));
  else
    result.warnings = unsolved(p);
  const bool solved = result.warnings.empty();
  const Warnings broken = broken_promises(run_, result.errors);
  result.failed = run_.reference.strict && !broken.empty();
  for (const Warnings& found :
       {broken, learned_noise(run_, verdict.held_out),
        trivial_solution(run_, model_, p, pool_, loss_options_.cache, solved),
        beyond_tables(run_, model_, p, pool_, loss_options_.cache), result.trust.warnings})
    result.warnings.insert(result.warnings.end(), found.begin(), found.end());
  return result;
}

}  // namespace pinn
