#include "solvers/train/begin.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "solvers/points/adaptive_points.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/checkpoints/shared_tensors.h"
#include "solvers/results/values.h"
#include "solvers/train/adapt/ramp.h"
#include "solvers/train/adapt/reweigh.h"
#include "solvers/train/trained_part.h"

namespace pinn {
namespace {

bool same_network(const std::vector<ParameterBlock>& a, const std::vector<ParameterBlock>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ParameterBlock& x, const ParameterBlock& y) {
                      return x.name == y.name && x.shape == y.shape;
                    });
}

/// Differences between what networks of a run and of a checkpoint make of their parameters, in words.
std::string difference(const Run& run, const Found& found) {
  const std::vector<Description> was = descriptions_in(found.checkpoint->record.networks);
  const std::vector<Description> is = descriptions(run);
  if (was.empty()) return "";  // of an older program, which does not say
  std::string different;
  if (is.size() != was.size())
    different = fmt::format("it has {} networks and had {}", is.size(), was.size());
  for (std::size_t k = 0; k < std::min(is.size(), was.size()); ++k)
    for (const std::string& one : differences(is[k], was[k]))
      different += (different.empty() ? "" : "; ") + one;
  return different;
}

/// Parameters mean nothing to a network that makes something else of them.
void must_be_same_function(const Run& run, const Found& found) {
  const std::string different = difference(run, found);
  if (different.empty()) return;
  throw ConfigError(
      {"--init-from: that run's network is another function of its parameters: " + different,
       found.file,
       "make the same of [network] and the intervals of the inputs, or take the "
       "numbers as they are: add --force"});
}

void refuse_changes(const Changes& found, const std::string& file) {
  if (found.refused.empty()) return;
  std::vector<Report> reports;
  for (const std::string& change : found.refused)
    reports.push_back({"the run cannot go on, for its problem changed: " + change, file,
                       "undo the change, or start a new run: leave --resume out"});
  throw ConfigError(reports);
}

/// The ramp of the stage at work is where it would be if it had always been as the file says now;
/// whether it is another than it was.
bool take_ramp_back(TrainState& state, const Run& run, const RunRecord& before) {
  if (state.memory.empty()) return false;
  const Stage& stage = run.stages[state.memory.size() - 1];
  const auto differs = [&](const char* key) {
    const std::string path = fmt::format("stage.{}.{}", state.memory.size(), key);
    const auto then = before.effective.find(path), now = run.effective.find(path);
    const bool there = then != before.effective.end();
    return there != (now != run.effective.end()) || (there && then->second != now->second);
  };
  const bool ramps = differs("ramp") || (!stage.ramp.empty() && differs("steps"));
  if (ramps) state.ramp_step = stage.ramp.empty() ? 0 : state.stage_step;
  return ramps;
}

/// Sets what no stage of the file asks for any more to what the file says: weights of terms, and
/// which points there are. To the optimizer that is another objective.
void take_back(TrainState& state, const Run& run, const Model& model,
               const std::vector<LossTerm>& terms, const RunRecord& before, Ranks& ranks) {
  bool changed = take_ramp_back(state, run, before);
  for (std::size_t k = 0; k < terms.size() && !weighs_terms(run); ++k) {
    changed |= state.weights[k] != terms[k].weight;
    state.weights[k] = terms[k].weight;
  }
  for (std::size_t r = 0; r < state.draws.size(); ++r) {
    if (are_adaptive(run, r)) continue;
    const int every = run.problem.requirements[r].data ? 0 : run.sampling[r].redraw;
    Draw& draw = state.draws[r];
    Draw plain;
    const std::int64_t start = state.window_start(), steps = state.step - start;
    // A redraw that is due at this very step is still to come, as where nothing was ever chosen.
    if (every > 0 && steps > 0) plain.count = std::uint32_t((steps - 1) / every);
    plain.step = start + std::int64_t(plain.count) * every;
    if (draw.x.empty() && draw.step == start + std::int64_t(draw.count) * every) continue;
    changed = true;
    draw = std::move(plain);
  }
  if (!changed || state.memory.empty()) return;
  const Stage& stage = run.stages[state.memory.size() - 1];
  make_optimizer(stage.optimizer, trained_size(run, stage, model, ranks))
      ->objective_changed(state.memory.back());
}

std::string steps_key(std::size_t stages) { return fmt::format("stage.{}.steps", stages); }

/// A run that has done its last stage goes on with it when that was given more steps since.
void reopen(TrainState& state, const RunRecord& before, const Run& now) {
  const std::size_t stages = now.stages.size();
  const auto old = before.effective.find(steps_key(stages));
  const bool done = state.stage == std::int64_t(stages) && state.memory.size() == stages;
  if (!done || old == before.effective.end()) return;
  const long steps = now.stages.back().optimizer.steps;
  if (old->second != now.effective.at(old->first) && steps > state.stage_step) --state.stage;
}

/// Gives the state a network that was fitted to the fields of another one.
std::string fit_to(TrainState& state, const Windows& windows, const Found& found, const Run& other,
                   ThreadPool& pool) {
  if (lines_of(descriptions(other)) != found.checkpoint->record.networks)
    throw FileError({"the checkpoint is damaged: it describes another network than it has",
                     found.file, "use an older checkpoint, or another run"});
  const std::span<double> p = state.parameters.data<double>();
  const Transfer fit =
      transferred(windows.run(), *windows.model(), p, other, found.checkpoint->state, pool);
  std::ranges::copy(fit.parameters, p.begin());
  return fmt::format("the fields of {}, of another network: fitted to them, off by {} (relative)",
                     found.file, fit.text);
}

}  // namespace

TrainState first_state(const Run& run, const Model& model, const std::vector<LossTerm>& terms) {
  TrainState state;
  const std::vector<double> p = model.initial_parameters(run.options.seed);
  state.parameters = from_values(p, {std::int64_t(p.size())});
  state.draws.resize(run.problem.requirements.size());
  state.weighting.points.resize(state.draws.size());
  state.weighting.causal.resize(state.draws.size());
  for (const LossTerm& term : terms) state.weights.push_back(term.weight);
  return state;
}

std::vector<std::string> value_columns(const Run& run) {
  std::vector<std::string> columns;
  for (const OutputValue& value : run.output.values) {
    columns.push_back("value:" + value.name);
    if (has_reference(run, value.name)) columns.push_back("error:" + value.name);
  }
  return columns;
}

std::vector<std::string> history_columns(const Run& run, const std::vector<LossTerm>& terms,
                                         const std::vector<std::string>& reference_fields) {
  std::vector<std::string> columns = {"loss"};
  for (const LossTerm& term : terms) columns.push_back(term.name);
  columns.push_back("held_out");
  for (const LossTerm& term : terms) columns.push_back("held_out:" + term.name);
  for (const LossTerm& term : terms) columns.push_back("largest:" + term.name);
  for (const std::string& field : reference_fields) columns.push_back("error:" + field);
  for (const std::string& column : value_columns(run)) columns.push_back(column);
  for (const Unknown& unknown : run.problem.unknowns) columns.push_back("unknown:" + unknown.name);
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    if (are_adaptive(run, r))
      columns.push_back("concentration:" + run.problem.requirements[r].name);
  for (const std::string& name : ramped_constants(run)) columns.push_back("constant:" + name);
  if (weighs_terms(run))
    for (const LossTerm& term : terms) columns.push_back("weight:" + term.name);
  return columns;
}

std::string adopt(TrainState& state, const Run& run, const Windows& windows,
                  const std::string& run_folder, bool is_other, const ReadAgain& recorded,
                  ThreadPool& pool) {
  const Model& model = *windows.model();
  const Found found = newest_checkpoint(run_folder, Contents::without_shared);
  if (!found.checkpoint)
    throw ConfigError({"--init-from: the folder holds no checkpoint", run_folder,
                       "name the folder of a run that has saved one"});
  if (recorded && !is_other && !difference(run, found).empty())
    return fit_to(state, windows, found, recorded(found, run_folder), pool);
  if (!same_network(found.checkpoint->blocks, model.network_blocks()))
    throw ConfigError({"--init-from: that run's network has other layers", found.file,
                       "use the same [network] and the same inputs"});
  if (!is_other) must_be_same_function(run, found);
  const TrainState& other = found.checkpoint->state;
  const BestModel& best = other.finished.empty() ? other.best : other.finished.front().best;
  const std::vector<double> p =
      best.parameters.empty() ? other.parameters.values() : best.parameters;
  const std::size_t expected = model.network_parameters() + found.checkpoint->unknowns.size();
  if (p.size() != expected)
    throw FileError({fmt::format("the checkpoint is damaged: it has {} parameters where {} belong",
                                 p.size(), expected),
                     found.file, "use an older checkpoint, or another run"});
  std::copy_n(p.begin(), model.network_parameters(), state.parameters.data<double>().begin());
  const bool told = !found.checkpoint->record.networks.empty();
  return "the parameters of " + found.file + (other.finished.empty() ? "" : ", window 1") +
         (told ? "" : ", of an older program: that its network is this function was not compared");
}

std::optional<Found> found_state(const Run& run, Found found, const std::string& folder,
                                 const std::function<void(const std::string&)>& tell) {
  for (const std::string& message : found.messages) tell(message);
  if (!found.checkpoint) {
    if (holds_run(folder))
      tell(fmt::format("--resume: {} holds no checkpoint yet: the run begins anew there", folder));
    return {};
  }
  const Checkpoint& checkpoint = *found.checkpoint;
  const Changes changed =
      changes(checkpoint.record, record(run), std::int64_t(checkpoint.state.memory.size()));
  refuse_changes(changed, found.file);
  for (const std::string& change : changed.allowed) tell("changed: " + change);
  require_windows(checkpoint, run, found.file);
  return found;
}

TrainState resumed_state(Found& found, const Run& run, const Model& model,
                         const std::vector<LossTerm>& terms, Ranks& ranks) {
  Checkpoint& checkpoint = *found.checkpoint;
  read_left_out(ranks, found);
  require_fit(checkpoint, run, model, terms, found.file, ranks);
  take_back(checkpoint.state, run, model, terms, checkpoint.record, ranks);
  reopen(checkpoint.state, checkpoint.record, run);
  return std::move(checkpoint.state);
}

TrainState next_state(TrainState before, const Run& run, const Model& model,
                      const std::vector<LossTerm>& terms) {
  TrainState state = first_state(run, model, terms);
  const std::size_t unknowns = run.problem.unknowns.size();
  const std::vector<double>& best = before.best.parameters;
  const std::size_t carried = run.windows.carry ? best.size() : unknowns;  // from the tail
  std::copy_n(best.end() - std::ptrdiff_t(carried), carried,
              state.parameters.data<double>().end() - std::ptrdiff_t(carried));
  state.step = before.step;
  for (Draw& draw : state.draws) draw.step = before.step;
  state.history = std::move(before.history);
  state.seconds = before.seconds;
  state.finished = std::move(before.finished);
  before.best.errors.clear();  // at the end there are those of all time
  state.finished.push_back({std::move(before.best), before.step});
  return state;
}

}  // namespace pinn
