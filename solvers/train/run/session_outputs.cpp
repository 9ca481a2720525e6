// What a session leaves: checkpoints, the status, the progress line and the results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/train/output.h"
#include "solvers/train/run/session.h"
#include "solvers/train/run/signals.h"
#include "solvers/train/summary.h"
#include "solvers/train/watch/advice.h"

namespace pinn {
namespace {

std::vector<InputRange> input_ranges(const Problem& problem) {
  std::vector<InputRange> ranges;
  for (const Coordinate& c : problem.coordinates) ranges.push_back({c.name, c.lower, c.upper});
  return ranges;
}

/// Puts a state where another is wanted, without a copy, until it goes out of scope.
class Lent {
 public:
  Lent(TrainState& from, TrainState& to) : from_(from), to_(to) { std::swap(from_, to_); }
  ~Lent() { std::swap(from_, to_); }
  Lent(const Lent&) = delete;

 private:
  TrainState &from_, &to_;
};

}  // namespace

void Session::diverged(const Loss::Result& loss) {
  Divergence found{state_.step, state_.stage, loss, loss_->terms(), stage().optimizer};
  LossHistory history = std::move(state_.history);
  history.cut(last_finite_.step);
  state_ = copy_without_history(last_finite_);
  state_.history = std::move(history);
  const bool saved = try_to_save();
  write_status("diverged");
  found.saved = saved ? fmt::format("{}, step {}", folder_.file(checkpoint_name), state_.step) : "";
  throw NumericsError(report(found));
}

RunRecord Session::record_here() const {
  RunRecord record = pinn::record(run_);
  record.from_folder = seen_from(folder_.place(), run_.path);
  return record;
}

/// Stops a run whose folder another one may write by now: neither would be whole.
void Session::save() {
  folder_.require_ours();
  write_checkpoint();
}

void Session::write_checkpoint() {
  state_.seconds = seconds();
  Checkpoint checkpoint{.state = {},
                        .record = record_here(),
                        .blocks = model_->network().blocks(),
                        .unknowns = {},
                        .best_unknowns = {},
                        .inputs = input_ranges(run_.problem),
                        .activation = run_.network.activation};
  for (const auto& [name, value] : unknowns(parameters())) checkpoint.unknowns[name] = value;
  if (!state_.best.parameters.empty())
    for (const auto& [name, value] : unknowns(state_.best.parameters))
      checkpoint.best_unknowns[name] = value;
  const Lent lent(state_, checkpoint.state);
  save_checkpoint(folder_.path(), checkpoint, files_);
  saved_at_ = clock();
}

/// The older checkpoint is intact, and training is worth more than this one: say so, once until the
/// disk takes one again, and go on.
bool Session::try_to_save() {
  folder_.require_ours();
  try {
    write_checkpoint();
    unsaved_ = false;
  } catch (const FileError& e) {
    if (!unsaved_)
      log_.warn(warning_text(e.report) +
                "\n  this state is not saved; an older checkpoint, if there is one, stays");
    unsaved_ = true;
    saved_at_ = clock();
  }
  return !unsaved_;
}

void Session::save_if_due() {
  const CheckpointOptions& when = run_.options.checkpoint;
  const bool by_steps = when.every > 0 && state_.step % when.every == 0;
  const bool by_time = when.minutes > 0 && clock() - saved_at_ > 60 * when.minutes;
  if (!by_steps && !by_time) return;
  settle();
  try_to_save();
}

void Session::tell() {
  if (log_.progress().due()) log_.progress().show(view());
  if (log_.status_due()) write_status("training");
}

/// Tells them now, and in the status of the folder.
void Session::tell(const Warnings& found) {
  for (const Report& warning : found) log_.note(warning_text(warning));
  warnings_.insert(warnings_.end(), found.begin(), found.end());
}

ProgressView Session::view() const {
  ProgressView v{.stage = stage().name,
                 .stage_number = state_.stage + 1,
                 .stages = std::int64_t(stages()),
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

void Session::write_status(const std::string& doing) {
  JsonObject status;
  status.add("problem", named_in_status(run_.path))
      .add("state", doing)
      .add("step", state_.step)
      .add("stage", std::min(state_.stage + 1, std::int64_t(stages())))
      .add("loss", objective_ ? objective_->latest().total : std::nan(""));
  if (!verdict_.largest.empty()) {
    JsonObject terms;
    for (std::size_t k = 0; k < verdict_.largest.size(); ++k) {
      JsonObject term;
      term.add("held_out", verdict_.held_out.terms[k]).add("largest", verdict_.largest[k]);
      terms.add(judge_.terms()[k].name, term);
    }
    JsonObject best;
    best.add("step", state_.best.step).add("held_out", state_.best.residual);
    status.add("held_out", verdict_.held_out.total).add("terms", terms).add("best", best);
  }
  JsonObject found;
  for (const auto& [name, value] : unknowns(parameters())) found.add(name, value);
  if (!run_.problem.unknowns.empty()) status.add("unknowns", found);
  status.add("seconds", seconds());
  add_speed(status, speed_.latest());
  add_warnings(status, warnings_);
  log_.status(status);
}

std::vector<std::pair<std::string, double>> Session::unknowns(std::span<const double> p) const {
  const std::vector<double> values = model_->unknown_values(p);
  std::vector<std::pair<std::string, double>> named;
  for (std::size_t i = 0; i < values.size(); ++i)
    named.push_back({run_.problem.unknowns[i].name, values[i]});
  return named;
}

double Session::seconds() const { return seconds_before_ + clock() - started_; }

TrainResult Session::pause(const std::string& why) {
  save();
  write_status("interrupted");
  TrainResult result;
  result.interrupted = true;
  result.reason = why;
  result.folder = folder_.place();
  return result;
}

/// Judged anew, all of it: the result is the best network, and its figures are no older than
/// itself.
TrainResult Session::result() {
  const std::span<const double> p = state_.best.parameters;
  const Verdict verdict = judge_(p);
  const Loss::Result training = judge_.training(p, state_.draws);
  TrainResult result;
  result.folder = folder_.place();
  result.step = state_.best.step;
  result.loss = verdict.held_out.total;
  for (std::size_t k = 0; k < judge_.terms().size(); ++k)
    result.terms.push_back(
        {judge_.terms()[k].name, training.terms[k], verdict.held_out.terms[k], verdict.largest[k]});
  result.unknowns = unknowns(p);
  result.errors = verdict.errors;
  if (state_.best.step != state_.step) {
    const Verdict last = judge_(parameters());
    result.last = {state_.step, last.held_out.total, last.errors};
  }
  if (const Gap gap = judge_.gap(training, verdict.held_out);
      learned_by_heart(gap, first_loss()) && matters(gap, p))
    result.warnings.push_back(report(gap, state_.best.step));
  else
    result.warnings = unsolved(p);
  const Warnings broken = broken_promises(run_, result.errors);
  result.failed = run_.reference.strict && !broken.empty();
  for (const Warnings& found : {broken, learned_noise(run_, verdict.held_out),
                                trivial_solution(run_, model_, p, pool_, loss_options_.cache)})
    result.warnings.insert(result.warnings.end(), found.begin(), found.end());
  return result;
}

/// Whether the residual that is larger at held-out points is a part of its terms worth telling.
bool Session::matters(const Gap& gap, std::span<const double> p) {
  for (const Balance& b : balances(run_, model_, p, pool_, loss_options_.cache))
    if (b.name == gap.worst) return is_worth_telling(b);
  return true;
}

Warnings Session::unsolved(std::span<const double> p) {
  const auto balance = [&](std::span<const double> of) {
    return balances(run_, model_, of, pool_, loss_options_.cache);
  };
  return unbalanced(balance(p), balance(model_->initial_parameters(run_.options.seed)));
}

TrainResult Session::finish() {
  if (state_.best.parameters.empty()) judge();  // a checkpoint of no steps at all, all stages done
  save();
  TrainResult result = this->result();
  warnings_.insert(warnings_.end(), result.warnings.begin(), result.warnings.end());
  const std::span<const double> p = state_.best.parameters;
  Fields fields = output_fields(run_, model_, p, pool_, loss_options_.cache);
  if (run_.output.training_points) fields.training_points = training_points(run_, state_.draws);
  const Written written =
      write_fields(folder_.file("fields.h5"), fields,
                   provenance(record_here(), which_network(state_.best, state_.step)), files_);
  result.files = written.files;
  if (!written.note.empty()) log_.note(written.note);
  if (const Speed speed = speed_.overall(); std::isfinite(speed[Speed::steps]))
    log_.note(to_text(speed));
  write_status("done");
  return result;
}

}  // namespace pinn
