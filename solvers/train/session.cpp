#include "solvers/train/session.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/compile.h"
#include "autograd/core/error.h"
#include "solvers/optimize/kinds.h"
#include "solvers/records/checkpoints/shared_tensors.h"
#include "solvers/residual/step/step_cache.h"
#include "solvers/results/results.h"
#include "solvers/state/choices.h"
#include "solvers/state/signals.h"
#include "solvers/train/begin.h"
#include "solvers/train/one_run.h"
#include "solvers/train/plan.h"
#include "solvers/watch/advice.h"

namespace pinn {
namespace {

int threads_of(const Run& run, Ranks& ranks) {
  return run.options.threads > 0 ? run.options.threads : available_threads(ranks);
}

ProductsChoice products_of(const Run& run, const TrainRequest& request) {
  return choose_products(run, device_of(run).device, request.eager, multiplies_tiles());
}

/// Nothing for the CPU: why there is no GPU is for --check to say.
std::string device_text(const Run& run, Ranks& ranks) {
  const std::string text = gpus_text(ranks, device_of(run));
  return text.empty() ? "" : ", " + text;
}

FolderRequest folder_of(const Run& run, const TrainRequest& request) {
  FolderRequest folder = request.folder;
  folder.problem = named_in_status(run.path);
  return folder;
}

/// All losses of a session share the steps that are compiled.
LossOptions loss_options(const Run& run, const TrainRequest& request, const std::string& folder,
                         int threads, std::function<void(const std::string&)> tell) {
  LossOptions options{DType::float64, {}, !request.eager, run.memory};
  options.cache = std::make_shared<StepCache>();
  options.device = device_of(run).device;
  if (!options.device.is_cpu()) limit_memory(options.device, std::size_t(run.options.device_limit));
  options.products = products_of(run, request).products;
  options.saved.folder = folder;
  options.group = process_group_of(*request.ranks, threads);
  if (keeps_points(options.device) && options.compiled && options.group.count() > 1)
    options.gather = make_all_gather(options.device, *request.ranks, std::move(tell));
  return options;
}

}  // namespace

Session::Session(const Run& run, const TrainRequest& request)
    : run_(run),
      started_(clock()),
      ranks_(*request.ranks),
      path_(open_folder(request)),
      log_(folder_ ? RunLog(folder_->path(), request.style, folder_->files()) : RunLog()),
      pool_(threads_of(run, ranks_)),
      loss_options_(loss_options(run, request, path_, pool_.threads(),
                                 [this](const std::string& text) { log_.note(text); })),
      windows_(run, pool_, loss_options_.cache),
      watch_(request.watch),
      seconds_before_(0),
      saved_at_(started_) {
  begin(request);
  seconds_before_ = state_.seconds;
  log_.note(fmt::format("{}: {} parameters, seed {}, {}{}, folder {}", run.name,
                        windows_.model()->parameter_count(), run.options.seed,
                        group_text(loss_options_.group, pool_.threads()), device_text(run, ranks_),
                        path_));
  if (!request.eager && run.memory.only_op_by_op())
    log_.note(
        fmt::format("[memory] saved = \"{}\" is for --eager: the compiled step keeps what its "
                    "small blocks save",
                    run.memory.kind));
  if (windows_.count() > 1) log_.note(windows_.text());
  if (!run.chosen.empty()) log_.note("chosen, where the file does not say:\n" + run.chosen);
  if (const std::string seams = seams_text(run.problem); !seams.empty()) log_.note(seams);
  const ProductsChoice products = products_of(run, request);
  if (!products.says.empty()) log_.note(products.says);
  tell(warnings_of(run, request.eager));
  if (request.verbose)
    loss_options_.cache->tell = [this](const std::string& line) { log_.note(line); };
  log_.open_metrics(state_.step > 0 ? state_.step : -1,
                    {run.output.metrics == "csv", run.output.tensorboard}, state_.history.columns,
                    seconds_before_);
  write_status("training");
}

/// Makes and locks it; all ranks know where it is.
std::string Session::open_folder(const TrainRequest& request) {
  if (ranks_.rank() == 0) folder_.emplace(folder_of(run_, request), request.files);
  return from_first(ranks_, folder_ ? folder_->path() : "");
}

void Session::open_training() {
  TrainingHost& host = *this;
  training_.emplace(windows_.run(), windows_.model(), loss_options_, pool_, state_, host);
}

/// A new state, or that of the run that goes on, in its window.
void Session::begin(const TrainRequest& request) {
  if (folder_)
    for (const std::string& message : folder_->messages()) log_.warn(message);
  if (folder_ && !folder_->choice().empty()) log_.note(folder_->choice());
  const auto tell = [&](const std::string& text) { log_.note(text); };
  std::optional<Found> found;
  if (request.folder.resume) found = found_state(run_, recovered(), path_, tell);
  if (found)
    for (const FinishedWindow& window : found->checkpoint->state.finished)
      windows_.finish(window.best.parameters);
  open_training();
  const Model& model = *windows_.model();
  if (found) {
    state_ = resumed_state(*found, windows_.run(), model, training_->terms(), ranks_);
    tell(fmt::format("going on at step {} of {}", state_.step, found->file));
  } else {
    state_ = first_state(windows_.run(), model, training_->terms());
    if (!request.init_from.empty()) adopt(request);
  }
  training_->begin();
}

Found Session::recovered() {
  Found found;
  if (folder_) found = folder_->recover();
  share(ranks_, found);
  return found;
}

void Session::adopt(const TrainRequest& request) {
  ReadAgain recorded;
  if (request.recorded)
    recorded = [&](const Found& found, const std::string& folder) {
      log_.note("the network is another one than that of " + folder + ": fitting it to the fields");
      return request.recorded(found, folder);
    };
  if (folder_)
    log_.note("starting from " + pinn::adopt(state_, run_, windows_, request.init_from,
                                             request.force, recorded, pool_));
  const std::span<double> p = state_.parameters.data<double>();
  ranks_.broadcast({reinterpret_cast<char*>(p.data()), p.size_bytes()});
}

/// Begins the next window with what this one ended with.
void Session::next_window() {
  training_->require_best();
  const TrainResult ended = training_->result();
  Warnings found = ended.warnings;
  for (Report& warning : found) warning.where = windows_.text() + ", " + warning.where;
  tell(found);
  tell(bad_beginning(ended, windows_.text()));
  training_.reset();  // which is of the run of this window
  windows_.finish(state_.best.parameters);
  TrainState before = std::move(state_);
  open_training();
  state_ = next_state(std::move(before), windows_.run(), *windows_.model(), training_->terms());
  training_->begin();
  log_.note(windows_.text());
  save_if_worth_it();
}

TrainResult Session::run_stages() try {
  for (;; next_window()) {
    while (!training_->is_done())
      if (const std::string why = run_stage(); !why.empty()) return pause(why);
    if (windows_.is_last()) return finish();
  }
} catch (const NumericsError& error) {
  throw Diverged(error.report, folder_ ? folder_->place() : "");
}

/// A text when the whole run must pause now.
std::string Session::reason_to_pause() {
  constexpr double watch_every = 0.05;  // seconds
  const double max_time = ranks_.rank() == 0 ? run_.options.max_time : 0;
  std::string own = reason_to_stop(!watch_, max_time, started_);
  if (watch_ && clock() - watched_at_ > watch_every) {
    watched_at_ = clock();
    if (!watch_(view(), seconds())) own = "asked to";
  }
  if (!own.empty()) reason_ = own;  // which others hear later
  return has_long_steps() ? agreed(ranks_, reason_) : heard(ranks_, reason_);
}

/// A message is nothing to a step of a second-order method, and one step more takes long.
bool Session::has_long_steps() const {
  return optimizer_kind(training_->stage().optimizer.kind).asks_for_rows;
}

/// Runs the stage to its end; a text when the whole run must pause before that.
std::string Session::run_stage() {
  Training::Ending end = training_->start_stage();
  while (!end.stage) {
    end = training_->steps();
    if (!end.why.empty())
      log_.note(fmt::format("stage {} ends: {}", training_->stage().name, end.why));
    if (end.stage) break;
    if (const std::string why = reason_to_pause(); !why.empty()) {
      training_->settle();
      return why;
    }
    save_if_due();
    tell();
  }
  const ProgressView last = view();
  log_.progress().leave(last);
  training_->end_stage(end);
  if (!watch_) return "";
  const std::string why = agreed(ranks_, watch_(last, seconds()) ? "" : "asked to");
  return training_->is_done() && windows_.is_last() ? "" : why;
}

}  // namespace pinn
