#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "solvers/points/adaptive_points.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/checkpoints/check.h"
#include "solvers/state/windows.h"
#include "solvers/train/adapt/ramp.h"
#include "solvers/train/adapt/reweigh.h"
#include "solvers/train/begin.h"
#include "solvers/train/trained_part.h"

/// A checkpoint held against the run that is to go on from it.
namespace pinn {
namespace {

/// True if a stage of the run as it was had a scheme: ".weighting.kind" or ".sampling.kind".
bool had_before(const RunRecord& record, const char* scheme) {
  return std::ranges::any_of(record.effective,
                             [&](const auto& entry) { return entry.first.ends_with(scheme); });
}

std::int64_t stages_of(const RunRecord& record) {
  std::int64_t stages = 0;
  while (record.effective.count(fmt::format("stage.{}.steps", stages + 1)) > 0) ++stages;
  return stages;
}

/// Points that training chose, with normals where drawn ones have them, and weights: one per point,
/// or one per residual, too.
void check_chosen_points(const Draw& draw, const Run& run, std::size_t r, const Check& check) {
  if (draw.x.empty() && draw.normals.empty() && draw.weights.empty()) return;
  const Requirement& requirement = run.problem.requirements[r];
  const std::size_t width = run.problem.coordinates.size();
  const PointSet drawn = points_of(run, r, "points", draw.count);
  const std::size_t points = draw.x.empty() ? drawn.count : draw.x.size() / width;
  const bool normals = !draw.x.empty() && !drawn.normals.empty();
  check.require((draw.x.empty() || draw.x.size() == points * width) &&
                    (draw.x.empty() || !requirement.data) &&
                    draw.normals.size() == (normals ? draw.x.size() : 0),
                fmt::format("the points of '{}' are of another problem", requirement.name));
  const std::size_t terms = terms_of(requirement, run.problem).size();
  const std::size_t weights = draw.weights.size();
  check.require(weights == 0 || weights == points || weights == points * terms,
                fmt::format("the weights of the points of '{}' are {}", requirement.name, weights));
}

/// Redraws come every so many steps and at no other: their number says when the last one was.
/// Points that a stage chose - it, or its rule, may be another by now - come at a step of their own
/// each.
void check_draws(const Checkpoint& c, const Run& run, const Check& check) {
  const TrainState& s = c.state;
  const bool chosen_before = had_before(c.record, ".sampling.kind");
  check.same(s.draws.size(), run.problem.requirements.size(), "draws of points");
  for (std::size_t r = 0; r < s.draws.size(); ++r) {
    const Draw& draw = s.draws[r];
    const std::int64_t every = run.problem.requirements[r].data ? 0 : run.sampling[r].redraw;
    const bool chosen = chosen_before || are_adaptive(run, r) || !draw.x.empty();
    check.require(
        chosen ? draw.count <= draw.step
               : draw.step == s.window_start() + std::max<std::int64_t>(every, 0) * draw.count &&
                     (every <= 0 ? draw.count == 0 : s.step - draw.step <= every),
        fmt::format("draw {} of the points of '{}' was not at step {}", draw.count,
                    run.problem.requirements[r].name, draw.step));
    check_chosen_points(draw, run, r, check);
  }
}

/// Only a stage that ramps, or did, is on its way; and within its steps, at the level that its
/// steps have come to, unless it is another ramp by now.
void check_ramp(const Checkpoint& c, const Run& run, const Check& check) {
  const TrainState& s = c.state;
  const auto before = [&](const char* key) {
    const auto at = c.record.effective.find(fmt::format("stage.{}.{}", s.memory.size(), key));
    return at == c.record.effective.end() ? std::string() : at->second;
  };
  const auto now = [&](const char* key) {
    const auto at = run.effective.find(fmt::format("stage.{}.{}", s.memory.size(), key));
    return at == run.effective.end() ? std::string() : at->second;
  };
  const std::string steps = before("steps");
  std::int64_t most = 0;
  if (!before("ramp").empty()) std::from_chars(steps.data(), steps.data() + steps.size(), most);
  check.within(s.ramp_step, 0, most, "ramp_step");
  if (most == 0 || before("ramp") != now("ramp") || steps != now("steps")) return;
  check.require(
      s.stage_step <= next_level(run.stages[s.memory.size() - 1], s.ramp_step),
      fmt::format("its ramp is at step {} of a stage that is at {}", s.ramp_step, s.stage_step));
}

void check_stages(const Checkpoint& c, const Run& run, const Model& model, Ranks& ranks,
                  const Check& check) {
  const TrainState& s = c.state;
  const std::int64_t before = stages_of(c.record), begun = std::int64_t(s.memory.size());
  check.within(s.stage, 0, before, "stage");
  check.within(begun, 0, std::int64_t(run.stages.size()), "number of optimizers");
  if (s.stage < before && s.stage_step > 0)
    check.within(begun, s.stage, s.stage + 1, "number of optimizers");
  if (begun == 0) return;
  for (std::size_t i = 0; i + 1 < s.memory.size(); ++i)
    check.require(
        s.memory[i].moves == 0 && s.memory[i].tensors.empty() && s.memory[i].numbers.empty(),
        fmt::format("it remembers something of stage {}, which is done", i + 1));
  const OptimizerMemory& memory = s.memory.back();
  check.within(memory.moves, 0, s.stage_step, "moves");
  // Between two stages, or at the end: when a stage begins, the memory before it is given up.
  if (begun <= s.stage && s.stage_step > 1)
    check.require(memory.moves > 0, "it lacks what the last optimizer remembers");
  const Stage& stage = run.stages[std::size_t(begun) - 1];
  const OptimizerOptions& options = stage.optimizer;
  const TrainedSize size = trained_size(run, stage, model, ranks);
  const std::string wrong =
      make_optimizer(options, size)->misfit(memory, std::int64_t(size.parameters));
  check.require(wrong.empty(),
                fmt::format("what it remembers of {} is not sound: {}", options.kind, wrong));
}

/// The error of a reference, adaptive sampling and weighting may come and go between two sittings,
/// and nothing else.
std::vector<std::string> lasting(const std::vector<std::string>& columns) {
  std::vector<std::string> kept;
  for (const std::string& name : columns)
    if (!name.starts_with("error:") && !name.starts_with("concentration:") &&
        !name.starts_with("constant:") && !name.starts_with("weight:"))
      kept.push_back(name);
  return kept;
}

/// Checks the history's columns; where windows are done, theirs may be there, too.
void check_columns(const TrainState& s, const Run& run, const std::vector<LossTerm>& terms,
                   const Check& check) {
  const LossHistory& history = s.history;
  if (history.steps.empty()) return;
  if (!s.finished.empty()) {
    for (const std::string& name : lasting(history_columns(run, terms, {})))
      check.require(std::ranges::find(history.columns, name) != history.columns.end(),
                    fmt::format("its history has no column '{}'", name));
    return;
  }
  check.require(lasting(history.columns) == lasting(history_columns(run, terms, {})),
                "the columns of its history are not those of the problem");
  const std::size_t width = history.columns.size();
  for (std::size_t k = 0; k < width; ++k) {
    const bool always = k <= terms.size() || history.columns[k].starts_with("unknown:");
    for (std::size_t row = 0; always && row < history.steps.size(); ++row)
      check.finite({&history.values[row * width + k], 1}, "history/values");
  }
}

}  // namespace

void require_windows(const Checkpoint& c, const Run& run, const std::string& file) {
  const Check check(file);
  const std::size_t windows = window_count(run);
  check.within(std::int64_t(c.state.finished.size()), 0, std::int64_t(windows) - 1,
               "number of windows that are done");
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  check.same(std::size_t(c.state.parameters.numel()), model.parameter_count(), "parameters");
}

void require_points(const Checkpoint& c, const Run& run, const std::vector<LossTerm>& terms,
                    const std::string& file) {
  const Check check(file);
  check.same(c.state.weights.size(), terms.size(), "weights");
  for (std::size_t k = 0; k < terms.size(); ++k)
    check.require(had_before(c.record, ".weighting.kind") || weighs_terms(run) ||
                      c.state.weights[k] == terms[k].weight,
                  fmt::format("the weight of '{}' is not that of the problem", terms[k].name));
  check_draws(c, run, check);
}

void require_fit(const Checkpoint& c, const Run& run, const Model& model,
                 const std::vector<LossTerm>& terms, const std::string& file, Ranks& ranks) {
  const Check check(file);
  check.same(std::size_t(c.state.parameters.numel()), model.parameter_count(), "parameters");
  require_points(c, run, terms, file);
  check_stages(c, run, model, ranks, check);
  check_ramp(c, run, check);
  check_columns(c.state, run, terms, check);
}

}  // namespace pinn
