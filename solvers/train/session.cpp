#include "solvers/train/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "solvers/train/output.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/signals.h"

namespace pinn {
namespace {

// Cadences in steps: functions of the step alone, so that a resumed run keeps them.
constexpr std::int64_t record_every = 10;
constexpr std::int64_t judge_every = 100;

std::shared_ptr<const Model> make_model(const Run& run) {
  return std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.network);
}

int threads_of(const Run& run) {
  return run.options.threads > 0 ? run.options.threads : available_threads();
}

DType dtype_of_stage(const Stage& stage) {
  return stage.precision == "float32" ? DType::float32 : DType::float64;
}

void check_device(const Run& run) {
  const std::string& device = run.options.device;
  if (device.rfind("cuda", 0) == 0)
    throw DeviceError(
        {"this build has no CUDA backend", "device = \"" + device + "\"", "set device = \"cpu\""});
}

}  // namespace

std::vector<Derivatives> choose_derivatives(const Run& run, const Model& model,
                                            std::string& report) {
  std::vector<Derivatives> chosen;
  for (const Requirement& r : run.problem.requirements) {
    const ProductCount count = count_products(model, r);
    const std::string& asked = run.options.derivatives;
    chosen.push_back(asked == "reverse"  ? Derivatives::reverse
                     : asked == "taylor" ? Derivatives::taylor
                                         : count.cheaper());
    report += fmt::format(
        "{}: {} derivatives, {} channels ({:.0f} multiplications a point; taylor {:.0f}, "
        "reverse {:.0f})\n",
        r.name, name_of(chosen.back()), plan_channels(r, run.problem).table->size(),
        chosen.back() == Derivatives::taylor ? count.taylor : count.reverse, count.taylor,
        count.reverse);
  }
  return chosen;
}

Session::Session(const Run& run, const TrainRequest& request)
    : run_(run),
      request_(request),
      started_(clock()),
      saved_at_(started_),
      folder_((check_device(run), request.folder)),
      progress_(request.style, standard_error()),
      pool_(threads_of(run)),
      model_(make_model(run)),
      reference_(run) {
  std::string ways;
  derivatives_ = choose_derivatives(run, *model_, ways);
  for (const std::string& message : folder_.messages()) progress_.message(message);
  begin();
  progress_.message(fmt::format("{}: {} parameters, seed {}, {} threads, folder {}", run.name,
                                model_->parameter_count(), run.options.seed, pool_.threads(),
                                folder_.path()));
}

void Session::begin() {
  const Problem& problem = run_.problem;
  held_out_.emplace(model_, LossOptions{DType::float64, derivatives_}, pool_);
  for (std::size_t r = 0; r < problem.requirements.size(); ++r)
    held_out_->set_points(r, held_out_points(run_, r));

  if (request_.folder.resume) {
    Found found = folder_.recover();
    for (const std::string& message : found.messages) progress_.message(message);
    if (found.checkpoint) {
      const Changes differences = changes(found.checkpoint->record, pinn::record(run_),
                                          std::int64_t(found.checkpoint->state.memory.size()));
      if (!differences.refused.empty())
        throw ConfigError(
            {"the run cannot go on: the problem changed (" + differences.refused[0] + ")",
             found.file, "undo the change, or start a new run without --resume"});
      for (const std::string& change : differences.allowed) progress_.message("changed: " + change);
      state_ = copy(found.checkpoint->state);
      seconds_before_ = state_.seconds;
      progress_.message(fmt::format("resuming at step {} of {}", state_.step, found.file));
    }
  }
  if (!state_.parameters.defined()) {
    const std::vector<double> p = model_->initial_parameters(run_.options.seed);
    state_.parameters = from_values(p, {std::int64_t(p.size())});
    state_.draws.resize(problem.requirements.size());
    for (const LossTerm& term : held_out_->terms()) state_.weights.push_back(term.weight);
    state_.history.columns.push_back("loss");
    for (const LossTerm& term : held_out_->terms()) state_.history.columns.push_back(term.name);
    for (const int f : reference_.fields())
      state_.history.columns.push_back("error:" + problem.fields[std::size_t(f)].name);
    if (!request_.init_from.empty()) adopt(request_.init_from);
  }
  metrics_.emplace(folder_.file("metrics.jsonl"), state_.step > 0 ? state_.step : -1, files_);
  last_finite_ = copy(state_);
}

void Session::adopt(const std::string& run_folder) {
  const Found found = newest_checkpoint(run_folder);
  if (!found.checkpoint)
    throw ConfigError({"--init-from: the folder holds no checkpoint", run_folder,
                       "name the folder of a run that has saved one"});
  const Checkpoint& other = *found.checkpoint;
  const std::vector<ParameterBlock>& blocks = model_->network().blocks();
  bool fits = other.blocks.size() >= blocks.size();
  for (std::size_t i = 0; fits && i < blocks.size(); ++i)
    fits = other.blocks[i].name == blocks[i].name && other.blocks[i].shape == blocks[i].shape;
  if (!fits)
    throw ConfigError({"--init-from: that run's network has other layers", found.file,
                       "use the same [network] and the same inputs"});
  const std::span<const double> from = std::as_const(other.state).parameters.data<double>();
  std::copy_n(from.begin(), model_->network().parameter_count(),
              state_.parameters.data<double>().begin());
  progress_.message("starting from the parameters of " + found.file);
}

void Session::give_points(Loss& loss) {
  for (std::size_t r = 0; r < run_.problem.requirements.size(); ++r)
    loss.set_points(r, points_of(run_, r, "points", state_.draws[r].count));
}

void Session::start_stage() {
  if (state_.memory.size() == std::size_t(state_.stage)) state_.memory.emplace_back();
  loss_.emplace(model_, LossOptions{dtype_of_stage(stage()), derivatives_}, pool_);
  give_points(*loss_);
  objective_.emplace(*loss_);
  optimizer_ = make_optimizer(stage().optimizer, model_->parameter_count());
}

void Session::redraw_if_due() {
  bool changed = false;
  for (std::size_t r = 0; r < run_.problem.requirements.size(); ++r) {
    const int every = run_.problem.requirements[r].data ? 0 : run_.sampling[r].redraw;
    Draw& draw = state_.draws[r];
    if (every <= 0 || state_.step - draw.step < every) continue;
    draw = {draw.count + 1, state_.step};
    loss_->set_points(r, points_of(run_, r, "points", draw.count));
    changed = true;
  }
  if (changed) optimizer_->objective_changed(memory());
}

Move Session::advance() {
  redraw_if_due();
  Move move = optimizer_->advance(state_.parameters, memory(), *objective_);
  if (!std::isfinite(objective_->latest().total) && !std::isfinite(move.loss)) diverged(move.loss);
  ++state_.step;
  ++state_.stage_step;
  return move;
}

/// The held-out residual decides which model is best; the reference never does.
void Session::judge() {
  const double residual = held_out_->value(state_.parameters.data<double>()).total;
  if (!std::isfinite(residual)) diverged(residual);
  if (residual < state_.best.residual) {
    const std::span<const double> p = state_.parameters.data<double>();
    state_.best = {{p.begin(), p.end()}, residual, state_.step};
    state_.steps_without_better = 0;
  } else {
    state_.steps_without_better = state_.step - state_.best.step;
  }
  if (reference_.known()) errors_ = reference_(*model_, state_.parameters.data<double>(), pool_);
  last_finite_ = copy(state_);
}

void Session::record() {
  const Loss::Result& latest = objective_->latest();
  std::vector<double> row{latest.total};
  row.insert(row.end(), latest.terms.begin(), latest.terms.end());
  const bool judged = state_.step % judge_every == 0 && !errors_.empty();
  for (std::size_t k = 0; k < reference_.fields().size(); ++k)
    row.push_back(judged ? errors_[k] : std::nan(""));
  state_.history.add(state_.step, row);
  JsonObject line;
  line.add("stage", stage().name);
  for (std::size_t k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k])) line.add(state_.history.columns[k], row[k]);
  line.add("seconds", seconds_before_ + clock() - started_);
  metrics_->append(state_.step, line);
}

void Session::diverged(double loss) {
  const Loss::Result& latest = objective_->latest();
  std::string term = "the loss";
  for (std::size_t k = 0; k < latest.terms.size(); ++k)
    if (!std::isfinite(latest.terms[k])) {
      term = "requirement '" + loss_->terms()[k].name + "'";
      break;
    }
  const std::int64_t step = state_.step;
  state_ = copy(last_finite_);
  save();
  write_status("diverged");
  const OptimizerOptions& options =
      run_.stages[std::size_t(
                      std::min<std::int64_t>(state_.stage, std::int64_t(run_.stages.size()) - 1))]
          .optimizer;
  throw NumericsError(
      {fmt::format("the loss became {} at step {}, in {}", loss, step, term),
       fmt::format("last finite state: {}, step {}", folder_.file(checkpoint_name), state_.step),
       fmt::format(
           "resume from it with a smaller step, --set stage.{}.rate={:g} (now {:g}), or with "
           "--set stage.{}.clip=1.0",
           state_.stage + 1, options.rate / 10, options.rate, state_.stage + 1)});
}

void Session::save() {
  state_.seconds = seconds_before_ + clock() - started_;
  Checkpoint checkpoint{copy(state_), pinn::record(run_), model_->network().blocks(), {}};
  const std::vector<double> unknowns = model_->unknown_values(state_.parameters.data<double>());
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    checkpoint.unknowns[run_.problem.unknowns[i].name] = unknowns[i];
  save_checkpoint(folder_.path(), checkpoint, files_);
  saved_at_ = clock();
}

void Session::save_if_due() {
  const CheckpointOptions& when = run_.options.checkpoint;
  const bool by_steps = when.every > 0 && state_.step % when.every == 0;
  const bool by_time = when.minutes > 0 && clock() - saved_at_ > 60 * when.minutes;
  if (!by_steps && !by_time) return;
  try {
    save();
  } catch (const FileError& e) {
    // The older checkpoint is intact and training is worth more than this one: say so, go on.
    progress_.message(e.what());
    saved_at_ = clock();
  }
  write_status("training");
}

std::string Session::reason_to_pause() const {
  return reason_to_stop(run_.options.max_time, started_);
}

ProgressView Session::view() const {
  const std::size_t at = std::min(std::size_t(state_.stage), run_.stages.size() - 1);
  ProgressView v;
  v.stage = run_.stages[at].name;
  v.stage_number = std::int64_t(at) + 1;
  v.stages = std::int64_t(run_.stages.size());
  v.step = state_.stage_step;
  v.steps = run_.stages[at].optimizer.steps;
  v.points = std::int64_t(loss_->points());
  const Loss::Result& latest = objective_->latest();
  v.loss = latest.total;
  for (std::size_t k = 0; k < latest.terms.size(); ++k)
    v.terms.push_back({loss_->terms()[k].name, latest.terms[k]});
  for (std::size_t k = 0; k < errors_.size(); ++k)
    v.errors.push_back({run_.problem.fields[std::size_t(reference_.fields()[k])].name, errors_[k]});
  return v;
}

void Session::write_status(const std::string& state) const {
  JsonObject status;
  status.add("state", state).add("step", state_.step).add("stage", state_.stage + 1);
  status.add("loss", objective_ ? objective_->latest().total : std::nan(""));
  status.add("seconds", seconds_before_ + clock() - started_);
  FileSystem files;
  write_atomically(folder_.file("status.json"), {status.text() + "\n"}, files);
}

/// Runs the stage to its end; a text when the whole run must pause.
std::string Session::run_stage() {
  const long steps = stage().optimizer.steps;
  while (state_.stage_step < steps) {
    const Move move = advance();
    const bool last = state_.stage_step == steps || !move.stopped.empty();
    if (state_.step % judge_every == 0 || last) judge();
    if (state_.step % record_every == 0 || last) record();
    if (progress_.due()) progress_.show(view());
    if (!move.stopped.empty()) {
      progress_.message(fmt::format("stage {} stopped at step {}: {}", stage().name,
                                    state_.stage_step, move.stopped));
      break;
    }
    if (run_.options.stop_below > 0 && objective_->latest().total < run_.options.stop_below) {
      progress_.message(
          fmt::format("the loss is below {:g}: training ends", run_.options.stop_below));
      state_.stage = std::int64_t(run_.stages.size()) - 1;
      break;
    }
    if (run_.options.patience > 0 && state_.steps_without_better > run_.options.patience) {
      progress_.message(fmt::format("no better held-out residual for {} steps: the stage ends",
                                    run_.options.patience));
      state_.steps_without_better = 0;
      break;
    }
    if (const std::string why = reason_to_pause(); !why.empty()) return why;
    save_if_due();
  }
  progress_.leave(view());
  ++state_.stage;
  state_.stage_step = 0;
  return {};
}

TrainResult Session::run_stages() {
  while (state_.stage < std::int64_t(run_.stages.size())) {
    start_stage();
    if (const std::string why = run_stage(); !why.empty()) {
      save();
      write_status("interrupted");
      return {true, why, folder_.path(), objective_->latest().total, {}, {}, {}};
    }
  }
  return finish();
}

TrainResult Session::finish() {
  save();
  TrainResult result;
  result.folder = folder_.path();
  std::span<const double> p = state_.parameters.data<double>();
  if (!state_.best.parameters.empty()) p = state_.best.parameters;
  result.loss = held_out_->value(p).total;
  if (reference_.known()) {
    const std::vector<double> errors = reference_(*model_, p, pool_);
    for (std::size_t k = 0; k < errors.size(); ++k)
      result.errors.push_back(
          {run_.problem.fields[std::size_t(reference_.fields()[k])].name, errors[k]});
  }
  const std::vector<double> unknowns = model_->unknown_values(p);
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    result.unknowns.push_back({run_.problem.unknowns[i].name, unknowns[i]});
  const Written written =
      write_fields(folder_.file("fields.h5"), output_fields(run_, *model_, p, pool_),
                   provenance(pinn::record(run_)), files_);
  result.files = written.files;
  if (!written.note.empty()) progress_.message(written.note);
  write_status("done");
  return result;
}

TrainResult train(const Run& run, const TrainRequest& request) {
  const Signals signals;
  return Session(run, request).run_stages();
}

}  // namespace pinn
