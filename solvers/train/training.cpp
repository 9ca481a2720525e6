// The loop that trains. It is long because it is one class: each function looks at or changes the
// same state between two steps, and their order is what a resumed run has to repeat.
#include "solvers/train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/compile.h"
#include "autograd/core/error.h"
#include "solvers/optimize/kinds.h"
#include "solvers/points/adaptive_points.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/rewritten.h"
#include "solvers/results/results.h"
#include "solvers/results/values.h"
#include "solvers/state/choices.h"
#include "solvers/state/signals.h"
#include "solvers/train/adapt/ramp.h"
#include "solvers/train/adapt/reweigh.h"
#include "solvers/train/begin.h"
#include "solvers/train/plan.h"

namespace pinn {
namespace {

/// Steps between judgments: of the step alone, so that a resumed run keeps them. A step of a
/// second-order method is worth a hundred of others.
std::int64_t judge_every(const Stage& stage) {
  return optimizer_kind(stage.optimizer.kind).asks_for_rows ? record_every : 10 * record_every;
}

/// Once may be chance, with few points in a batch or a front that has just formed.
constexpr int alarms_in_a_row = 3;

DType number_type(const Stage& stage) {
  return stage.precision == "float32" ? DType::float32 : DType::float64;
}

std::string ramp_text(const std::map<std::string, double>& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{} = {:.4g}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// The names of one list, and those of another that it has not.
std::vector<std::string> joined(std::vector<std::string> names,
                                const std::vector<std::string>& others) {
  for (const std::string& name : others)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

LossOptions with_derivatives(LossOptions options, const Run& run, const Model& model) {
  std::string report;
  options.derivatives = choose_derivatives(run, model, report);
  return options;
}

}  // namespace

Training::Training(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
                   ThreadPool& pool, TrainState& state, TrainingHost& host)
    : run_(run),
      pool_(pool),
      host_(host),
      model_(std::move(model)),
      loss_options_(with_derivatives(loss, run, *model_)),
      judge_(run, model_, loss_options_, pool_),
      columns_(history_columns(run, judge_.terms(), judge_.fields())),
      state_(state) {}

void Training::begin() {
  state_.history.set_columns(state_.finished.empty() ? columns_
                                                     : joined(state_.history.columns, columns_));
  judge_best_anew();
  last_finite_ = copy_without_history(state_);
}

/// Judges the best network anew where the reference is another than when it was found.
void Training::judge_best_anew() {
  BestModel& best = state_.best;
  std::erase_if(best.errors, [&](const auto& error) {
    return std::ranges::count(judge_.fields(), error.first) == 0 &&
           !has_reference(run_, error.first);
  });
  const auto known = [&](const std::string& name) { return best.errors.contains(name); };
  if (best.parameters.empty() || std::ranges::all_of(judge_.fields(), known)) return;
  const Verdict verdict = judge_(best.parameters);
  keep_figures(best, run_, verdict.errors, verdict.values);
}

Training::Ending Training::start_stage() {
  if (const std::size_t begun = std::size_t(state_.stage) + 1; state_.memory.size() < begun) {
    for (OptimizerMemory& of_before : state_.memory) of_before = {};  // some are large
    state_.memory.resize(begun);
    state_.weighting = {.points = std::vector<PointFactors>(state_.draws.size()),
                        .causal = std::vector<std::vector<double>>(state_.draws.size())};
    if (begun > 1)
      for (Draw& draw : state_.draws) draw.weights.clear();  // they are of the stage's own schemes
    state_.stage_step = state_.steps_without_better = state_.ramp_step = 0;
    state_.average.clear();
  }
  const bool other_weights = make_loss();
  optimizer_ = make_optimizer(stage().optimizer,
                              trained_size(run_, stage(), *model_, *loss_options_.group.ranks));
  if (other_weights) optimizer_->objective_changed(memory());
  require_best();  // so that there is a result, whenever it ends
  const Ending end{.stage = state_.stage_step >= stage().optimizer.steps};
  if (end.stage) objective_->at(state_.parameters);  // no step tells the loss
  return end;
}

/// The stage's loss, with the constants, points and weights of the state; whether weights had to
/// begin anew.
bool Training::make_loss() {
  LossOptions options = loss_options_;
  options.dtype = number_type(stage());
  options.directions = directions_of(run_);
  survey_.reset();  // which has other constants
  loss_.emplace(model_in_force(), options, pool_);
  loss_->set_weights(state_.weights);
  if (options.directions > 0)
    loss_->set_directions(directions_for(run_, options.directions, state_.step));
  batches_.assign(run_.problem.requirements.size(), {});
  bool other_weights = false;
  for (std::size_t r = 0; r < batches_.size(); ++r) {
    const std::vector<double> before = state_.draws[r].weights;
    set_points(r);
    other_weights |= before != state_.draws[r].weights;
  }
  make_objective();
  const int own = pool_.threads(), all = options.group.all_threads(own);
  const double peak =
      host_.speed().peak(clock(), options.dtype, [&] { return peak_flops(options.dtype, pool_); });
  host_.speed().start(clock(), state_.step, peak * all / own);
  return other_weights;
}

void Training::make_objective() {
  objective_.emplace(*loss_);
  std::vector<std::size_t> which = trained_parameters(stage(), *model_);
  part_.reset();
  if (!which.empty()) part_.emplace(*objective_, std::move(which), state_.parameters);
}

/// While constants change: of the latest few, one that asks for the same.
std::shared_ptr<const Model> Training::model_in_force() {
  const std::map<std::string, double> values = ramped_values(run_, stage(), state_.ramp_step);
  ramping_ = !is_ramp_over(stage(), state_.ramp_step);
  if (!ramping_) return model_;
  const auto problem = std::make_shared<const Problem>(with_constants(run_.problem, values));
  for (const std::shared_ptr<Model>& model : ramped_)
    if (model->take(problem)) return model;
  constexpr std::size_t most = 8;  // of exponents, say, that change from level to level
  if (ramped_.size() == most) ramped_.erase(ramped_.begin());
  return ramped_.emplace_back(std::make_shared<Model>(problem, run_.networks, model_->before()));
}

/// Other constants are another objective, to the optimizers as a redraw is.
void Training::ramp_to(std::int64_t step) {
  settle();
  host_.speed().measure(clock(), state_.step, loss_->work());
  state_.ramp_step = step;
  make_loss();
  optimizer_->objective_changed(memory());
  host_.note(
      fmt::format("step {}, {}", state_.step, ramp_text(ramped_values(run_, stage(), step))));
  if (!ramping_) require_best();  // now there may be one
}

void Training::ramp_if_due() {
  if (!ramping_ || state_.stage_step < next_level(stage(), state_.ramp_step)) return;
  ramp_to(state_.stage_step);
}

/// The next stage begins with the mean where that is the better one.
void Training::go_on_from_average() {
  if (state_.average.empty() || ramping_) return;
  const double mean = judge_(state_.average).held_out.total;
  if (mean < judge_(parameters()).held_out.total)
    state_.parameters = from_values(state_.average, state_.parameters.shape());
}

void Training::end_stage(const Ending& end) {
  if (!end.training && state_.stage + 1 < std::ssize(run_.stages)) go_on_from_average();
  state_.stage = end.training ? std::int64_t(run_.stages.size()) : state_.stage + 1;
}

void Training::require_best() {
  if (state_.best.parameters.empty()) judge();
}

/// One step, or some that are made at once; judged and recorded when that is due.
Training::Ending Training::steps() {
  const Move move = advance();
  Ending end{.stage = state_.stage_step == stage().optimizer.steps};
  const bool next_level = !move.stopped.empty() && ramping_ && !end.stage;
  if (!move.stopped.empty() && !next_level) end = {.stage = true, .why = move.stopped};
  if (move.loss < enough())
    end = {true, true, fmt::format("the loss fell below {:g}", run_.options.stop_below)};
  if (end.stage || state_.step % judge_every(stage()) == 0) judge();
  if (end.stage || state_.step % record_every == 0) record(end.stage);
  if (const std::string why = reason_to_end_stage(); !end.stage && !why.empty()) {
    settle();  // it may have been so in an earlier sitting: then nothing was due here
    end = {true, false, why};
  }
  if (next_level) ramp_to(pinn::next_level(stage(), state_.ramp_step));
  return end;
}

/// The loss that ends training: not one of other constants.
double Training::enough() const { return ramping_ ? 0 : run_.options.stop_below; }

Move Training::advance() {
  ramp_if_due();
  redraw_if_due();
  take_batches();
  draw_directions();
  reweigh_if_due();
  Tensor p = part_ ? part_->part_of(state_.parameters) : state_.parameters;
  const Moves moves = changes_each_step() ? Moves{1, optimizer_->advance(p, memory(), objective())}
                                          : optimizer_->advance_many(p, memory(), objective(),
                                                                     steps_until_due(), enough());
  if (part_) part_->put(p, state_.parameters);
  const std::int64_t made = moves.count - (moves.last.diverged ? 1 : 0);
  state_.step += made;
  state_.stage_step += made;
  if (moves.last.diverged) diverged(objective_->latest());
  average_if_due();
  return moves.last;
}

/// Takes the parameters into their mean, at steps that do not depend on how many are made at once.
void Training::average_if_due() {
  if (stage().average == 0 || state_.step % record_every != 0) return;
  const std::span<const double> p = parameters();
  std::vector<double>& mean = state_.average;
  if (mean.empty()) return mean.assign(p.begin(), p.end());
  const double before = std::pow(stage().average, double(record_every));
  for (std::size_t i = 0; i < p.size(); ++i) mean[i] = before * mean[i] + (1 - before) * p[i];
}

/// Up to the next step after which something is looked at or changes, and to the end of the stage.
std::int64_t Training::steps_until_due() const {
  if (!reason_to_end_stage().empty()) return 1;  // since an earlier sitting
  const auto until = [this](std::int64_t every) { return every - state_.step % every; };
  std::int64_t steps = std::min(until(record_every), stage().optimizer.steps - state_.stage_step);
  if (const long every = run_.options.checkpoint.every; every > 0)
    steps = std::min(steps, until(every));
  for (std::size_t r = 0; r < state_.draws.size(); ++r) steps = std::min(steps, steps_to_redraw(r));
  if (ramping_) steps = std::min(steps, next_level(stage(), state_.ramp_step) - state_.stage_step);
  return std::min(steps, steps_to_reweighing(run_, state_));
}

/// Makes the state whole: while steps are made at once, what the optimizer remembers stays there.
void Training::settle() {
  if (!changes_each_step()) optimizer_->settle(memory(), objective());
}

/// The points of requirement r, or the batch of them that is next.
void Training::set_points(std::size_t r) {
  batches_[r].reset();
  loss_->drop_points(r);  // before there are new ones: they may fill half of the memory
  PointSet points = weighed_points(run_, state_, r);
  const bool whole = is_integral(run_.problem.requirements[r]);  // half a rule is none
  if (const std::size_t most = std::size_t(stage().batch);
      most > 0 && points.count > most && !whole) {
    const Random random{run_.options.seed, stream(run_.problem.requirements[r].name, "batches")};
    points = batches_[r].emplace(std::move(points), most, random).at(state_.stage_step);
  }
  loss_->set_points(r, std::move(points));
}

bool Training::takes_batches() const {
  return std::ranges::any_of(batches_, [](const auto& b) { return b.has_value(); });
}

bool Training::changes_each_step() const { return takes_batches() || directions_of(run_) > 0; }

/// Other directions are another objective, to the optimizers as other batches are.
void Training::draw_directions() {
  const int count = directions_of(run_);
  if (count == 0) return;
  loss_->set_directions(directions_for(run_, count, state_.step));
  make_objective();
  optimizer_->objective_changed(memory());
}

void Training::take_batches() {
  if (!takes_batches()) return;
  for (std::size_t r = 0; r < batches_.size(); ++r)
    if (batches_[r]) loss_->set_points(r, batches_[r]->at(state_.stage_step));
  make_objective();
  optimizer_->objective_changed(memory());
}

/// From now to the next redraw of requirement r; 0 when it is due.
std::int64_t Training::steps_to_redraw(std::size_t r) const {
  if (are_adaptive(run_, stage(), r)) return steps_to_choice(run_, state_, r);
  const int every = run_.problem.requirements[r].data ? 0 : run_.sampling[r].redraw;
  if (every <= 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, state_.draws[r].step + every - state_.step);
}

Draw Training::next_draw(std::size_t r) {
  if (!are_adaptive(run_, stage(), r))
    return {.count = state_.draws[r].count + 1, .step = state_.step};
  if (!survey_) survey_.emplace(run_, model_in_force(), loss_options_, pool_);
  const Draw draw = [&] {
    try {
      return chosen_points(run_, state_, r, *survey_);
    } catch (const NumericsError&) {
      host_.diverged();
      throw;
    }
  }();
  if (is_told(draw.count))
    host_.note(fmt::format("step {}, redraw {} of '{}': {}", draw.step, draw.count,
                           run_.problem.requirements[r].name, points_text(run_.problem, draw)));
  return draw;
}

void Training::redraw_if_due() {
  std::vector<std::size_t> due;
  for (std::size_t r = 0; r < state_.draws.size(); ++r)
    if (steps_to_redraw(r) == 0) due.push_back(r);
  if (due.empty()) return;
  settle();  // before the points go, and with them the optimizer on the device
  for (const std::size_t r : due) {
    state_.draws[r] = next_draw(r);
    set_points(r);
  }
  make_objective();
  optimizer_->objective_changed(memory());
}

/// Other weights are another objective, to the optimizers as a redraw is.
void Training::reweigh_if_due() {
  if (!is_reweighing_due(run_, state_)) return;
  settle();
  const bool of_terms = reweigh(run_, state_, *loss_);
  make_objective();
  optimizer_->objective_changed(memory());
  if (of_terms && is_told(std::uint32_t(state_.weighting.changes)))
    host_.note(fmt::format("step {}, weights: {}", state_.step,
                           weights_text(loss_->terms(), state_.weights)));
}

/// The held-out residual decides which model is best; the reference never does. It is that of the
/// problem: with other constants there is none.
void Training::judge() {
  settle();
  const std::span<const double> p = parameters();
  verdict_ = ramping_ ? Verdict{} : judge_(p);
  const Loss::Result& found = ramping_ ? objective_->at(state_.parameters) : verdict_.held_out;
  const bool finite = std::ranges::all_of(p, [](double v) { return std::isfinite(v); });
  if (!finite || !std::isfinite(found.total)) diverged(found);
  if (ramping_) {
    last_finite_ = copy_without_history(state_);
    return;
  }
  const Loss::Result& held_out = verdict_.held_out;
  if (state_.best.offer(p, held_out.total, state_.step))
    keep_figures(state_.best, run_, verdict_.errors, verdict_.values);
  judge_average(held_out.total);
  state_.steps_without_better =
      std::min(state_.step - state_.best.smallest_step,
               std::max<std::int64_t>(0, state_.stage_step - state_.ramp_step));
  if (state_.step > 0) heed(judge_.gap(training_loss(), held_out));
  last_finite_ = copy_without_history(state_);
}

/// The mean of the parameters is a result as they are themselves, where it is the better of both.
void Training::judge_average(double own) {
  if (state_.average.empty()) return;
  const Verdict of_mean = judge_(state_.average);
  if (!(of_mean.held_out.total < own)) return;
  if (state_.best.offer(state_.average, of_mean.held_out.total, state_.step))
    keep_figures(state_.best, run_, of_mean.errors, of_mean.values);
}

/// At the training points, without weights of theirs, and with exact Laplacians: so it is at
/// held-out points.
Loss::Result Training::training_loss() {
  const auto weighed = [](const Draw& draw) { return !draw.weights.empty(); };
  if (directions_of(run_) > 0 || std::ranges::any_of(state_.draws, weighed))
    return judge_.training(parameters(), state_.draws);
  return objective_->at(state_.parameters);
}

/// Says once that the points are learned by heart, while there is time to mend it.
void Training::heed(const Gap& gap) {
  alarms_ = learned_by_heart(gap, first_loss()) ? alarms_ + 1 : 0;
  if (alarms_ < alarms_in_a_row || alarm_given_ || !matters(gap, parameters())) return;
  alarm_given_ = true;
  host_.tell({report(gap, state_.step)});
}

/// First recorded loss of the run; 0 before there is a record.
double Training::first_loss() const {
  return state_.history.values.empty() ? 0 : state_.history.values.front();
}

/// The value in force of a constant that some stage ramps.
double Training::constant(const std::string& name) const {
  const std::map<std::string, double> values = ramped_values(run_, stage(), state_.ramp_step);
  if (const auto at = values.find(name); at != values.end()) return at->second;
  for (const Constant& c : run_.problem.constants)
    if (c.name == name) return c.value;
  return std::nan("");
}

/// By the held-out residual's course; empty while it goes on as it should.
std::string Training::reason_to_end_stage() const {
  const long patience = run_.options.patience;
  const GainOptions& gain = run_.options.gain;
  if (patience > 0 && state_.steps_without_better >= patience)
    return fmt::format("no better held-out residual for {} steps", patience);
  if (!ramping_ && gains_too_little(gain, state_))
    return fmt::format("the held-out residual fell by less than {:g} in {} steps", gain.factor,
                       gain.steps);
  return {};
}

/// Verdict on the state as columns; NaN where the judge was not asked.
std::vector<double> Training::judged_columns() const {
  const std::size_t terms = judge_.terms().size(), fields = judge_.fields().size();
  if (last_finite_.step != state_.step || verdict_.largest.empty())
    return std::vector<double>(1 + 2 * terms + fields + value_columns(run_).size(), std::nan(""));
  std::vector<double> columns{verdict_.held_out.total};
  for (const auto* part : {&verdict_.held_out.terms, &verdict_.largest})
    columns.insert(columns.end(), part->begin(), part->end());
  for (const Distance& d : verdict_.errors) columns.push_back(d.l2);
  for (const FoundValue& v : verdict_.values) {
    columns.push_back(v.value);
    if (has_reference(run_, v.name)) columns.push_back(v.error);
  }
  return columns;
}

/// The values of its own columns among those of the windows before.
std::vector<double> Training::in_history(const std::vector<double>& row) const {
  const std::vector<std::string>& all = state_.history.columns;
  std::vector<double> values(all.size(), std::nan(""));
  for (std::size_t k = 0; k < row.size(); ++k)
    values[std::size_t(std::ranges::find(all, columns_[k]) - all.begin())] = row[k];
  return values;
}

void Training::record(bool end_of_stage) {
  const Loss::Result& now = objective_->at(state_.parameters);
  if (!std::isfinite(now.total)) diverged(now);  // the next move would find it, a history cannot
  host_.speed().measure(clock(), state_.step, loss_->work());
  std::vector<double> row{now.total};
  row.insert(row.end(), now.terms.begin(), now.terms.end());
  for (const double value : judged_columns())  // an error may be beyond all numbers
    row.push_back(std::isfinite(value) ? value : std::nan(""));
  for (const auto& [name, value] : unknowns(parameters())) row.push_back(value);
  for (std::size_t r = 0; r < state_.draws.size(); ++r)
    if (are_adaptive(run_, r)) row.push_back(state_.draws[r].concentration);
  for (const std::string& name : ramped_constants(run_)) row.push_back(constant(name));
  if (weighs_terms(run_)) row.insert(row.end(), state_.weights.begin(), state_.weights.end());
  row = in_history(row);
  state_.history.add(state_.step, row, host_.speed().latest());

  host_.recorded(row, end_of_stage);
}

}  // namespace pinn
