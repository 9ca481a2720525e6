#include "solvers/train/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/compile.h"
#include "autograd/core/error.h"
#include "solvers/residual/step_cache.h"
#include "solvers/train/adapt/adaptive_points.h"
#include "solvers/train/adapt/reweigh.h"
#include "solvers/train/plan.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/run/signals.h"

namespace pinn {
namespace {

// Cadences in steps: functions of the step alone, so that a resumed run keeps them.
constexpr std::int64_t judge_every = 100;
static_assert(judge_every % record_every == 0);

/// Once may be chance, with few points in a batch or a front that has just formed.
constexpr int alarms_in_a_row = 3;

int threads_of(const Run& run) {
  return run.options.threads > 0 ? run.options.threads : available_threads();
}

ProductsChoice products_of(const Run& run, const TrainRequest& request) {
  return choose_products(run, device_of(run).device, request.eager, cpu::amx_available());
}

/// Nothing for the CPU: why there is no GPU is for --check to say.
std::string device_text(const Run& run) {
  const ChosenDevice chosen = device_of(run);
  return chosen.device.is_cpu() ? "" : ", " + chosen.text;
}

DType number_type(const Stage& stage) {
  return stage.precision == "float32" ? DType::float32 : DType::float64;
}

FolderRequest folder_of(const Run& run, const TrainRequest& request) {
  FolderRequest folder = request.folder;
  folder.problem = named_in_status(run.path);
  return folder;
}

/// All losses of a session share the steps that are compiled.
LossOptions loss_options(const Run& run, const Model& model, const TrainRequest& request,
                         const RunFolder& folder) {
  std::string report;
  LossOptions options{DType::float64, choose_derivatives(run, model, report), !request.eager,
                      run.memory};
  options.cache = std::make_shared<StepCache>();
  options.device = device_of(run).device;
  if (!options.device.is_cpu()) limit_memory(options.device, std::size_t(run.options.device_limit));
  options.products = products_of(run, request).products;
  options.saved.folder = folder.path();
  return options;
}

}  // namespace

Session::Session(const Run& run, const TrainRequest& request)
    : run_(run),
      started_(clock()),
      folder_(folder_of(run, request), request.files),
      files_(folder_.files()),
      log_(folder_, request.style, files_),
      pool_(threads_of(run)),
      model_(
          std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.network)),
      loss_options_(loss_options(run, *model_, request, folder_)),
      judge_(run, model_, loss_options_, pool_),
      state_(begin(request)),
      last_finite_(copy_without_history(state_)),
      seconds_before_(state_.seconds),
      saved_at_(started_) {
  log_.note(fmt::format("{}: {} parameters, seed {}, {} threads{}, folder {}", run.name,
                        model_->parameter_count(), run.options.seed, pool_.threads(),
                        device_text(run), folder_.path()));
  if (!request.eager && run.memory.only_op_by_op())
    log_.note(
        fmt::format("[memory] saved = \"{}\" is for --eager: the compiled step keeps what its "
                    "small blocks save",
                    run.memory.kind));
  const ProductsChoice products = products_of(run, request);
  if (!products.says.empty()) log_.note(products.says);
  tell(warnings_of(run, request.eager));
  if (request.verbose)
    loss_options_.cache->tell = [this](const std::string& line) { log_.note(line); };
  log_.open_metrics(state_.step > 0 ? state_.step : -1);
  write_status("training");
}

TrainState Session::begin(const TrainRequest& request) {
  TrainState state = first_or_resumed(request);
  state.history.set_columns(history_columns(run_, judge_.terms(), judge_.fields()));
  return state;
}

TrainState Session::first_or_resumed(const TrainRequest& request) {
  for (const std::string& message : folder_.messages()) log_.warn(message);
  if (!folder_.choice().empty()) log_.note(folder_.choice());
  if (request.folder.resume) {
    const auto tell = [&](const std::string& text) { log_.note(text); };
    if (std::optional<TrainState> state =
            resumed_state(run_, *model_, judge_.terms(), folder_, tell))
      return *state;
  }
  TrainState state = first_state(run_, *model_, judge_.terms());
  if (!request.init_from.empty())
    log_.note("starting from the parameters of " + adopt(state, *model_, request.init_from));
  return state;
}

TrainResult Session::run_stages() {
  while (state_.stage < std::int64_t(stages())) {
    start_stage();
    if (state_.best.parameters.empty()) judge();  // so that there is a result, whenever it ends
    if (const std::string why = run_stage(); !why.empty()) return pause(why);
  }
  return finish();
}

void Session::start_stage() {
  if (const std::size_t begun = std::size_t(state_.stage) + 1; state_.memory.size() < begun) {
    for (OptimizerMemory& of_before : state_.memory) of_before = {};  // some are large
    state_.memory.resize(begun);
    state_.weighting = {.points = std::vector<PointFactors>(state_.draws.size()),
                        .causal = std::vector<std::vector<double>>(state_.draws.size())};
    if (begun > 1)
      for (Draw& draw : state_.draws) draw.weights.clear();  // they are of the stage's own schemes
    state_.stage_step = state_.steps_without_better = 0;
  }
  LossOptions options = loss_options_;
  options.dtype = number_type(stage());
  loss_.emplace(model_, options, pool_);
  loss_->set_weights(state_.weights);
  batches_.assign(run_.problem.requirements.size(), {});
  bool other_weights = false;
  for (std::size_t r = 0; r < batches_.size(); ++r) {
    const std::vector<double> before = state_.draws[r].weights;
    set_points(r);
    other_weights |= before != state_.draws[r].weights;
  }
  objective_.emplace(*loss_);
  speed_.start(clock(), state_.step, cpu::fma_peak(options.dtype, pool_));
  optimizer_ = make_optimizer(stage().optimizer, model_->parameter_count());
  if (other_weights) optimizer_->objective_changed(memory());
}

/// Runs the stage to its end; a text when the whole run must pause before that.
std::string Session::run_stage() {
  Ending end{.stage = state_.stage_step >= stage().optimizer.steps};
  if (end.stage) objective_->at(state_.parameters);  // no step tells the loss
  while (!end.stage) {
    end = steps();
    if (!end.why.empty()) log_.note(fmt::format("stage {} ends: {}", stage().name, end.why));
    if (end.stage) break;
    if (const std::string why = reason_to_stop(run_.options.max_time, started_); !why.empty()) {
      settle();
      return why;
    }
    save_if_due();
    tell();
  }
  log_.progress().leave(view());
  state_.stage = end.training ? std::int64_t(stages()) : state_.stage + 1;
  return {};
}

/// One step, or some that are made at once; judged and recorded when that is due.
Session::Ending Session::steps() {
  const Move move = advance();
  Ending end{.stage = state_.stage_step == stage().optimizer.steps};
  if (!move.stopped.empty()) end = {.stage = true, .why = move.stopped};
  if (move.loss < run_.options.stop_below)
    end = {true, true, fmt::format("the loss fell below {:g}", run_.options.stop_below)};
  if (end.stage || state_.step % judge_every == 0) judge();
  if (end.stage || state_.step % record_every == 0) record(end.stage);
  if (!end.stage && out_of_patience()) {
    settle();  // it may have run out in an earlier sitting: then nothing was due here
    end = {true, false,
           fmt::format("no better held-out residual for {} steps", run_.options.patience)};
  }
  return end;
}

Move Session::advance() {
  redraw_if_due();
  take_batches();
  reweigh_if_due();
  const Moves moves = takes_batches()
                          ? Moves{1, optimizer_->advance(state_.parameters, memory(), *objective_)}
                          : optimizer_->advance_many(state_.parameters, memory(), *objective_,
                                                     steps_until_due(), run_.options.stop_below);
  const std::int64_t made = moves.count - (moves.last.diverged ? 1 : 0);
  state_.step += made;
  state_.stage_step += made;
  if (moves.last.diverged) diverged(objective_->latest());
  return moves.last;
}

/// Up to the next step after which something is looked at or changes, and to the end of the stage.
std::int64_t Session::steps_until_due() const {
  if (out_of_patience()) return 1;  // since an earlier sitting
  const auto until = [this](std::int64_t every) { return every - state_.step % every; };
  std::int64_t steps = std::min(until(record_every), stage().optimizer.steps - state_.stage_step);
  if (const long every = run_.options.checkpoint.every; every > 0)
    steps = std::min(steps, until(every));
  for (std::size_t r = 0; r < state_.draws.size(); ++r) steps = std::min(steps, steps_to_redraw(r));
  return std::min(steps, steps_to_reweighing(run_, state_));
}

/// Makes the state whole: while steps are made at once, what the optimizer remembers stays there.
void Session::settle() {
  if (!takes_batches()) optimizer_->settle(memory(), *objective_);
}

/// The points of requirement r, or the batch of them that is next.
void Session::set_points(std::size_t r) {
  batches_[r].reset();
  loss_->drop_points(r);  // before there are new ones: they may fill half of the memory
  PointSet points = weighed_points(run_, state_, r);
  if (const std::size_t most = std::size_t(stage().batch); most > 0 && points.count > most) {
    const Random random{run_.options.seed, stream(run_.problem.requirements[r].name, "batches")};
    points = batches_[r].emplace(std::move(points), most, random).at(state_.stage_step);
  }
  loss_->set_points(r, std::move(points));
}

bool Session::takes_batches() const {
  return std::ranges::any_of(batches_, [](const auto& b) { return b.has_value(); });
}

void Session::take_batches() {
  if (!takes_batches()) return;
  for (std::size_t r = 0; r < batches_.size(); ++r)
    if (batches_[r]) loss_->set_points(r, batches_[r]->at(state_.stage_step));
  objective_.emplace(*loss_);
  optimizer_->objective_changed(memory());
}

/// From now to the next redraw of requirement r; 0 when it is due.
std::int64_t Session::steps_to_redraw(std::size_t r) const {
  if (are_adaptive(run_, stage(), r)) return steps_to_choice(run_, state_, r);
  const int every = run_.problem.requirements[r].data ? 0 : run_.sampling[r].redraw;
  if (every <= 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, state_.draws[r].step + every - state_.step);
}

Draw Session::next_draw(std::size_t r) {
  if (!are_adaptive(run_, stage(), r))
    return {.count = state_.draws[r].count + 1, .step = state_.step};
  if (!survey_) survey_.emplace(run_, model_, loss_options_, pool_);
  const Draw draw = [&] {
    try {
      return chosen_points(run_, state_, r, *survey_);
    } catch (const NumericsError&) {
      try_to_save();
      write_status("diverged");
      throw;
    }
  }();
  if (is_told(draw.count))
    log_.note(fmt::format("step {}, redraw {} of '{}': {}", draw.step, draw.count,
                          run_.problem.requirements[r].name, points_text(run_.problem, draw)));
  return draw;
}

void Session::redraw_if_due() {
  std::vector<std::size_t> due;
  for (std::size_t r = 0; r < state_.draws.size(); ++r)
    if (steps_to_redraw(r) == 0) due.push_back(r);
  if (due.empty()) return;
  settle();  // before the points go, and with them the optimizer on the device
  for (const std::size_t r : due) {
    state_.draws[r] = next_draw(r);
    set_points(r);
  }
  objective_.emplace(*loss_);
  optimizer_->objective_changed(memory());
}

/// Other weights are another objective, to the optimizers as a redraw is.
void Session::reweigh_if_due() {
  if (!is_reweighing_due(run_, state_)) return;
  settle();
  const bool of_terms = reweigh(run_, state_, *loss_);
  objective_.emplace(*loss_);
  optimizer_->objective_changed(memory());
  if (of_terms && is_told(std::uint32_t(state_.weighting.changes)))
    log_.note(fmt::format("step {}, weights: {}", state_.step,
                          weights_text(loss_->terms(), state_.weights)));
}

/// The held-out residual decides which model is best; the reference never does.
void Session::judge() {
  settle();
  const std::span<const double> p = parameters();
  verdict_ = judge_(p);
  const Loss::Result& held_out = verdict_.held_out;
  const bool finite = std::ranges::all_of(p, [](double v) { return std::isfinite(v); });
  if (!finite || !std::isfinite(held_out.total)) diverged(held_out);
  state_.best.offer(p, held_out.total, state_.step);
  state_.steps_without_better =
      std::min(state_.step - state_.best.smallest_step, state_.stage_step);
  if (state_.step > 0) heed(judge_.gap(training_loss(), held_out));
  last_finite_ = copy_without_history(state_);
}

/// At the training points, without weights of theirs: there are none at held-out points.
Loss::Result Session::training_loss() {
  const auto weighed = [](const Draw& draw) { return !draw.weights.empty(); };
  if (std::ranges::any_of(state_.draws, weighed))
    return judge_.training(parameters(), state_.draws);
  return objective_->at(state_.parameters);
}

/// Says once that the points are learned by heart, while there is time to mend it.
void Session::heed(const Gap& gap) {
  alarms_ = learned_by_heart(gap, first_loss()) ? alarms_ + 1 : 0;
  if (alarms_ < alarms_in_a_row || alarm_given_ || !matters(gap, parameters())) return;
  alarm_given_ = true;
  tell({report(gap, state_.step)});
}

/// Of the run; 0 before there is a record.
double Session::first_loss() const {
  return state_.history.values.empty() ? 0 : state_.history.values.front();
}

bool Session::out_of_patience() const {
  return run_.options.patience > 0 && state_.steps_without_better >= run_.options.patience;
}

/// What the judge said of the state; NaN where it was not asked.
std::vector<double> Session::judged_columns() const {
  const std::size_t terms = judge_.terms().size(), fields = judge_.fields().size();
  if (last_finite_.step != state_.step || verdict_.largest.empty())
    return std::vector<double>(1 + 2 * terms + fields, std::nan(""));
  std::vector<double> columns{verdict_.held_out.total};
  for (const auto* part : {&verdict_.held_out.terms, &verdict_.largest})
    columns.insert(columns.end(), part->begin(), part->end());
  for (const Distance& d : verdict_.errors) columns.push_back(d.l2);
  return columns;
}

/// Into the history, and into metrics.jsonl, which is only ever appended to: the further on, the
/// fewer lines.
void Session::record(bool end_of_stage) {
  const Loss::Result& now = objective_->at(state_.parameters);
  if (!std::isfinite(now.total)) diverged(now);  // the next move would find it, a history cannot
  speed_.measure(clock(), state_.step, loss_->work());
  std::vector<double> row{now.total};
  row.insert(row.end(), now.terms.begin(), now.terms.end());
  for (const double value : judged_columns())  // an error may be beyond all numbers
    row.push_back(std::isfinite(value) ? value : std::nan(""));
  for (const auto& [name, value] : unknowns(parameters())) row.push_back(value);
  for (std::size_t r = 0; r < state_.draws.size(); ++r)
    if (are_adaptive(run_, r)) row.push_back(state_.draws[r].concentration);
  if (weighs_terms(run_)) row.insert(row.end(), state_.weights.begin(), state_.weights.end());
  state_.history.add(state_.step, row, speed_.latest());

  if (!end_of_stage && !is_kept(state_.step, state_.step)) return;
  JsonObject line;
  line.add("stage", stage().name);
  for (std::size_t k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k])) line.add(state_.history.columns[k], row[k]);
  line.add("seconds", seconds());
  add_speed(line, speed_.latest());
  log_.metrics(state_.step, line);
}

}  // namespace pinn
