// What a session leaves: checkpoints, the status, the progress line and the results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/train/divergence.h"
#include "solvers/train/output.h"
#include "solvers/train/session.h"
#include "solvers/train/signals.h"

namespace pinn {
namespace {

std::vector<InputRange> input_ranges(const Problem& problem) {
  std::vector<InputRange> ranges;
  for (const Coordinate& c : problem.coordinates) ranges.push_back({c.name, c.lower, c.upper});
  return ranges;
}

}  // namespace

void Session::diverged(const Loss::Result& loss) {
  Divergence found{state_.step, state_.stage, loss, loss_->terms(), stage().optimizer};
  state_ = copy(last_finite_);
  const bool saved = try_to_save();
  write_status("diverged");
  found.saved = saved ? fmt::format("{}, step {}", folder_.file(checkpoint_name), state_.step) : "";
  throw NumericsError(report(found));
}

void Session::save() {
  state_.seconds = seconds();
  // Tensors share their arrays: this copies no optimizer's matrix.
  Checkpoint checkpoint{.state = state_,
                        .record = pinn::record(run_),
                        .blocks = model_->network().blocks(),
                        .unknowns = {},
                        .inputs = input_ranges(run_.problem),
                        .activation = run_.network.activation};
  for (const auto& [name, value] : unknowns(parameters())) checkpoint.unknowns[name] = value;
  save_checkpoint(folder_.path(), checkpoint, files_);
  saved_at_ = clock();
}

/// The older checkpoint is intact, and training is worth more than this one: say so and go on.
bool Session::try_to_save() try {
  save();
  return true;
} catch (const FileError& e) {
  log_.warn(e.what());
  saved_at_ = clock();
  return false;
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

/// Tells them now, and to whoever asks for the status.
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
  for (std::size_t k = 0; k < errors_.size(); ++k)
    v.errors.push_back({judge_.fields()[k], errors_[k]});
  return v;
}

void Session::write_status(const std::string& doing) {
  JsonObject status;
  status.add("state", doing)
      .add("step", state_.step)
      .add("stage", std::min(state_.stage + 1, std::int64_t(stages())))
      .add("loss", objective_ ? objective_->latest().total : std::nan(""));
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
  result.folder = folder_.path();
  return result;
}

TrainResult Session::finish() {
  save();
  TrainResult result;
  result.folder = folder_.path();
  const std::span<const double> p = state_.best.parameters;
  result.loss = judge_.held_out(p).total;
  result.unknowns = unknowns(p);
  const std::vector<double> errors = judge_.errors(p);
  for (std::size_t k = 0; k < errors.size(); ++k)
    result.errors.push_back({judge_.fields()[k], errors[k]});
  const Written written = write_fields(folder_.file("fields.h5"),
                                       output_fields(run_, model_, p, pool_, loss_options_.cache),
                                       provenance(pinn::record(run_)), files_);
  result.files = written.files;
  if (!written.note.empty()) log_.note(written.note);
  if (const Speed speed = speed_.overall(); std::isfinite(speed[Speed::steps]))
    log_.note(to_text(speed));
  write_status("done");
  return result;
}

}  // namespace pinn
