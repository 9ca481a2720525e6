// Outputs of a session: checkpoints, the status, the progress line and the results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/records/checkpoints/shared_tensors.h"
#include "solvers/records/fields/output.h"
#include "solvers/results/results.h"
#include "solvers/results/values.h"
#include "solvers/state/signals.h"
#include "solvers/train/one_run.h"
#include "solvers/train/session.h"
#include "solvers/trust/estimate.h"
#include "solvers/trust/trust_of.h"
#include "solvers/watch/advice.h"
#include "solvers/watch/summary.h"

namespace pinn {
namespace {

std::vector<InputRange> input_ranges(const Problem& problem) {
  std::vector<InputRange> ranges;
  for (const Coordinate& c : problem.coordinates) ranges.push_back({c.name, c.lower, c.upper});
  return ranges;
}

JsonObject best_json(const BestModel& best) {
  JsonObject errors, told;
  for (const auto& [name, error] : best.errors) errors.add(name, error);
  told.add("step", best.step).add("held_out", best.residual);
  if (!best.errors.empty()) told.add("errors", errors);
  return told;
}

/// Puts a state where another is wanted, without a copy, until it goes out of scope.
class SwappedState {
 public:
  SwappedState(TrainState& from, TrainState& to) : from_(from), to_(to) { std::swap(from_, to_); }
  ~SwappedState() { std::swap(from_, to_); }
  SwappedState(const SwappedState&) = delete;

 private:
  TrainState &from_, &to_;
};

}  // namespace

std::string Session::diverged() {
  const bool saved = try_to_save();
  write_status("diverged");
  return saved && folder_ ? fmt::format("{}, step {}", folder_->file(checkpoint_name), state_.step)
                          : "";
}

/// Into metrics.jsonl and its like, which are only ever appended to: the further on, the fewer
/// records.
void Session::recorded(const std::vector<double>& row, bool end_of_stage) {
  require_same(ranks_, parameters(), state_.step);
  if (!end_of_stage && !is_kept(state_.step, state_.step)) return;
  MetricRecord record{.step = state_.step, .stage = training_->stage().name};
  if (windows_.count() > 1) record.window = std::int64_t(windows_.now() + 1);
  for (std::size_t k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k])) record.numbers.emplace_back(state_.history.columns[k], row[k]);
  record.numbers.emplace_back("seconds", seconds());
  const Speed& speed = speed_.latest();
  for (int i = 0; i < Speed::count; ++i)
    if (std::isfinite(speed[i])) record.numbers.emplace_back(Speed::names[i], speed[i]);
  log_.metrics(record);
}

RunRecord Session::record_here() const {
  RunRecord record = pinn::record(run_);
  record.from_folder = seen_from(folder_->place(), run_.path);
  record.threads = group_text(loss_options_.group, pool_.threads());
  return record;
}

/// Stops a run whose folder another one may write by now: neither would be whole.
void Session::save() {
  if (folder_) folder_->require_ours();
  write_checkpoint();
}

/// Rank 0 does, and the others bring what it has not.
void Session::write_checkpoint() {
  const SharedTensors shared(ranks_, state_.memory);
  if (!folder_) return shared.serve();
  state_.seconds = seconds();
  Checkpoint checkpoint{.state = {},
                        .record = record_here(),
                        .blocks = training_->model()->network_blocks(),
                        .unknowns = {},
                        .best_unknowns = {},
                        .inputs = input_ranges(windows_.run().problem)};
  for (const auto& [name, value] : training_->unknowns(parameters()))
    checkpoint.unknowns[name] = value;
  if (!state_.best.parameters.empty())
    for (const auto& [name, value] : training_->unknowns(state_.best.parameters))
      checkpoint.best_unknowns[name] = value;
  const SwappedState swapped(state_, checkpoint.state);
  const double begun = clock();
  save_checkpoint(path_, checkpoint, folder_->files(), shared);
  saved_at_ = clock();
  saving_takes_ = saved_at_ - begun;
}

/// The older checkpoint is intact, and training is worth more than this one: say so, once until the
/// disk takes one again, and go on.
bool Session::try_to_save() {
  if (folder_) folder_->require_ours();
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

/// Answer of rank 0, by whose clock time goes.
bool Session::of_first(bool yes) {
  if (ranks_.count() == 1) return yes;
  char said = yes;
  ranks_.broadcast({&said, 1});
  return said != 0;
}

void Session::save_if_due() {
  const CheckpointOptions& when = run_.options.checkpoint;
  const bool by_steps = when.every > 0 && state_.step % when.every == 0;
  const bool by_time = when.minutes > 0 && (has_long_steps() || state_.step % 10 == 0) &&
                       of_first(clock() - saved_at_ > 60 * when.minutes);
  if (!by_steps && !by_time) return;
  training_->settle();
  try_to_save();
}

/// A checkpoint holds all windows that are done: where these are many and short, one per window
/// would cost more than their training does. What is lost by a kill is trained again to the same
/// bits.
void Session::save_if_worth_it() {
  constexpr double share = 0.05;  // of the time since the latest checkpoint
  if (folder_) folder_->require_ours();
  if (of_first(saving_takes_ < share * (clock() - saved_at_))) try_to_save();
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
  ProgressView v = training_->view();
  if (windows_.count() > 1)
    v.stage = fmt::format("window {}/{} {}", windows_.now() + 1, windows_.count(),
                          v.stage == std::to_string(v.stage_number) ? "stage" : v.stage);
  return v;
}

void Session::write_status(const std::string& doing) {
  if (!folder_) return;
  JsonObject status;
  status.add("problem", named_in_status(run_.path))
      .add("state", doing)
      .add("step", state_.step)
      .add("stage", std::min(state_.stage + 1, std::int64_t(run_.stages.size())))
      .add("loss", training_->loss())
      .add("stages", std::int64_t(run_.stages.size()));
  if (std::size_t(state_.stage) < run_.stages.size())
    status.add("stage_name", run_.stages[std::size_t(state_.stage)].name)
        .add("stage_step", state_.stage_step)
        .add("stage_steps", std::int64_t(run_.stages[std::size_t(state_.stage)].optimizer.steps));
  if (windows_.count() > 1)
    status.add("window", std::int64_t(windows_.now() + 1))
        .add("windows", std::int64_t(windows_.count()));
  if (const Verdict& verdict = training_->verdict(); !verdict.largest.empty()) {
    JsonObject terms;
    for (std::size_t k = 0; k < verdict.largest.size(); ++k) {
      JsonObject term;
      term.add("held_out", verdict.held_out.terms[k]).add("largest", verdict.largest[k]);
      terms.add(training_->terms()[k].name, term);
    }
    status.add("held_out", verdict.held_out.total).add("terms", terms);
  }
  if (!state_.best.parameters.empty()) status.add("best", best_json(state_.best));
  JsonObject found;
  for (const auto& [name, value] : training_->unknowns(parameters())) found.add(name, value);
  if (!run_.problem.unknowns.empty()) status.add("unknowns", found);
  status.add("seconds", seconds());
  add_speed(status, speed_.latest());
  if (doing == "done") status.add("trust", trust_json(trust_));
  if (JsonObject found_values; doing == "done" && !values_.empty()) {
    for (const FoundValue& v : values_) found_values.add(v.name, v.value);
    status.add("values", found_values);
  }
  add_reports(status, "warnings", warnings_);
  log_.status(status);
}

double Session::seconds() const { return seconds_before_ + clock() - started_; }

TrainResult Session::pause(const std::string& why) {
  save();
  write_status("interrupted");
  TrainResult result;
  result.interrupted = true;
  result.reason = why;
  result.folder = folder_ ? folder_->place() : path_;
  return result;
}

/// From the reference, each time in its window; none where there is but one.
std::optional<std::vector<Distance>> Session::errors_over_time() {
  if (windows_.count() == 1) return {};
  const ReferenceError whole(run_, windows_.model(), loss_options_.cache);
  if (!whole.known()) return std::vector<Distance>();
  RunFormulas found(run_, windows_.networks(state_.best.parameters), whole.quantities(),
                    loss_options_.cache);
  return whole.distances(found(whole.points(), pool_));
}

/// Errors over all time, and values by the finer rule, are known at the end alone: they go into the
/// last checkpoint, which is saved even where they cannot be had.
Session::Figures Session::save_with_figures() {
  Figures found;
  try {
    found.errors = errors_over_time();
    found.values = ValueMeter(run_, result_nodes)(windows_.networks(state_.best.parameters), pool_,
                                                  loss_options_.cache);
  } catch (...) {
    save();
    throw;
  }
  BestModel figures;
  keep_figures(figures, run_, found.errors.value_or(std::vector<Distance>()), found.values);
  figures.errors.merge(state_.best.errors);
  state_.best.errors = std::move(figures.errors);
  state_.best.values = std::move(figures.values);
  save();
  return found;
}

TrainResult Session::finish() {
  training_->require_best();  // a checkpoint of no steps at all, all stages done
  const Figures figures = save_with_figures();
  TrainResult result = training_->result(figures.errors);
  result.folder = folder_ ? folder_->place() : path_;
  result.windows = windows_of(run_, state_);
  const std::vector<TrainedNetwork> networks = windows_.networks(state_.best.parameters);
  result.values = figures.values;
  if (windows_.count() > 1 && run_.output.trust)
    result.trust.estimates = estimated_errors(trained_windows(run_, networks, state_, pool_),
                                              state_, loss_options_, pool_)
                                 .errors;
  const auto take = [&](const Warnings& broken) {
    result.failed |= run_.reference.strict && !broken.empty();
    result.warnings.insert(result.warnings.end(), broken.begin(), broken.end());
  };
  if (windows_.count() > 1) take(broken_promises(run_, result.errors));  // they are of all time
  take(broken_promises(run_, result.values));
  warnings_.insert(warnings_.end(), result.warnings.begin(), result.warnings.end());
  if (!folder_) return result;
  Fields fields = output_fields(run_, networks, pool_, loss_options_.cache);
  fields.values = named_values(result.values);
  if (run_.output.training_points)
    fields.training_points = training_points(windows_.run(), state_.draws);
  trust_ = result.trust;
  values_ = result.values;
  Provenance from = provenance(record_here(), which_network(state_));
  from.texts["trust"] = trust_json(trust_).text();
  const Written written = write_fields(folder_->file("fields.h5"), fields, from, folder_->files());
  result.files = written.files;
  if (!written.note.empty()) log_.note(written.note);
  if (const Speed speed = speed_.overall(); std::isfinite(speed[Speed::steps]))
    result.speed = to_text(speed);
  write_status("done");
  return result;
}

}  // namespace pinn
