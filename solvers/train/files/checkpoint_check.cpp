#include "solvers/train/files/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>

#include "autograd/core/error.h"
#include "solvers/train/adapt/adaptive_points.h"
#include "solvers/train/adapt/ramp.h"
#include "solvers/train/adapt/reweigh.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/run/begin.h"
#include "solvers/train/run/trained_part.h"
#include "solvers/train/run/windows.h"

namespace pinn {
namespace {

constexpr std::int64_t most_steps = std::int64_t(1) << 53;  ///< that a double counts
constexpr std::size_t longest_name = std::size_t(1) << 17;  ///< bytes: twice a problem file's line

/// Speaks of one file.
class Check {
 public:
  explicit Check(const std::string& file) : file_(file) {}

  void require(bool good, const std::string& what) const {
    if (!good)
      throw FileError({"the checkpoint is damaged: " + what, file_,
                       "use an older checkpoint, or start the run anew"});
  }
  void within(std::int64_t number, std::int64_t lowest, std::int64_t highest,
              const char* name) const {
    require(number >= lowest && number <= highest,
            fmt::format("its '{}' is {}, which is not between {} and {}", name, number, lowest,
                        highest));
  }
  void finite(std::span<const double> numbers, const std::string& name) const {
    require(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }),
            fmt::format("its '{}' has a number that is not finite", name));
  }
  void same(std::size_t found, std::size_t expected, const char* what) const {
    require(found == expected, fmt::format("it has {} {} where {} belong", found, what, expected));
  }
  void printable(const std::string& name) const {
    require(std::none_of(name.begin(), name.end(),
                         [](unsigned char c) { return c < 0x20 || c == 0x7F; }),
            "a name in it has control characters");
    require(name.size() <= longest_name, fmt::format("a name in it has {} bytes", name.size()));
  }

 private:
  const std::string& file_;
};

void check_counts(const TrainState& s, const Check& check) {
  check.within(s.step, 0, most_steps, "step");
  check.within(s.stage, 0, most_steps, "stage");
  check.within(s.stage_step, 0, s.step - s.window_start(), "stage_step");
  check.within(s.ramp_step, 0, most_steps, "ramp_step");
  check.within(s.steps_without_better, 0, s.stage_step, "steps_without_better");
  check.require(std::isfinite(s.seconds) && s.seconds >= 0, "its 'seconds' is no time");
  check.within(std::int64_t(s.memory.size()), s.step > s.window_start() ? 1 : 0, s.stage + 1,
               "number of optimizers");
  for (const OptimizerMemory& memory : s.memory) check.within(memory.moves, 0, s.step, "moves");
  for (const Draw& draw : s.draws) {
    check.within(draw.step, s.window_start(), s.step, "draws/step");
    for (const auto* values : {&draw.x, &draw.normals, &draw.weights})
      check.finite(*values, "points");
    check.require(!(draw.concentration < 0) && !(draw.concentration > 1),
                  "the concentration of a residual is no share");
    check.require(std::ranges::all_of(draw.weights, [](double w) { return w >= 0; }),
                  "a weight of its points is negative");
  }
}

void check_weighting(const TrainState& s, const Check& check) {
  const Weighting& w = s.weighting;
  check.within(w.changes, 0, s.step + 1, "weighting/changes");
  check.same(w.first.size(), w.before.size(), "losses of another time");
  check.require(w.first.empty() || w.first.size() == s.weights.size(),
                "losses that its weights follow are missing");
  check.require(std::ranges::all_of(s.weights, [](double x) { return x >= 0; }),
                "a weight is negative");
  for (const auto* values : {&w.first, &w.before}) check.finite(*values, "weighting");
  for (std::size_t r = 0; r < std::min(w.points.size(), s.draws.size()); ++r) {
    const PointFactors& p = w.points[r];
    for (const auto* values : {&p.factors, &p.first, &p.second, &w.causal[r]})
      check.finite(*values, "weighting of points");
    check.within(p.moves, 0, s.step + 1, "moves of the weights of points");
    check.require(p.first.size() == p.second.size() &&
                      p.first.size() == (p.moves > 0 ? p.factors.size() : 0) &&
                      (p.factors.empty() || p.factors.size() == s.draws[r].weights.size()) &&
                      (w.causal[r].empty() || s.draws[r].weights.size() % w.causal[r].size() == 0),
                  "what the weights of points follow is not as long as they are");
    const auto positive = [](double x) { return x >= 0; };
    check.require(std::ranges::all_of(p.factors, positive) &&
                      std::ranges::all_of(p.second, positive) &&
                      std::ranges::all_of(w.causal[r], [](double x) { return x >= 0 && x <= 1; }),
                  "what the weights of points follow is out of its bounds");
  }
}

/// True if a stage of the run as it was had a scheme: ".weighting.kind" or ".sampling.kind".
bool had_before(const RunRecord& record, const char* scheme) {
  return std::ranges::any_of(record.effective,
                             [&](const auto& entry) { return entry.first.ends_with(scheme); });
}

/// Checks the best network of some steps.
void check_best(const BestModel& best, const TrainState& s, std::int64_t first, std::int64_t last,
                const Check& check) {
  check.finite(best.parameters, "best/parameters");
  check.same(best.parameters.size(), std::size_t(s.parameters.numel()), "best parameters");
  check.within(best.step, first, last, "best/step");
  check.within(best.smallest_step, first, best.step, "best/smallest_step");
  check.require(std::isfinite(best.residual) && best.smallest >= 0 &&
                    best.residual >= best.smallest &&
                    best.residual <= BestModel::about_as_good * best.smallest,
                "its best network has no residual");
  for (const auto* numbers : {&best.errors, &best.values})
    for (const auto& [name, value] : *numbers) {
      check.printable(name);
      check.require(!std::isinf(value),
                    fmt::format("its '{}' of the best network is infinite", name));
    }
}

void check_best(const TrainState& s, const Check& check) {
  const BestModel& best = s.best;
  check.within(best.step, -1, s.step, "best/step");
  if (!best.parameters.empty()) check_best(best, s, s.window_start(), s.step, check);
}

/// One after the other, each with a network that was found in it.
void check_finished(const TrainState& s, const Check& check) {
  std::int64_t start = 0;
  for (const FinishedWindow& window : s.finished) {
    check.within(window.end, start, s.step, "windows/end");
    check_best(window.best, s, start, window.end, check);
    start = window.end;
  }
}

/// Losses are finite; what was not judged is NaN, and nothing is infinite.
void check_history(const TrainState& s, const Check& check) {
  const LossHistory& h = s.history;
  const std::set<std::string> different(h.columns.begin(), h.columns.end());
  check.same(different.size(), h.columns.size(), "different names of history columns");
  for (const std::string& name : h.columns) check.printable(name);
  check.require(h.steps.empty() || !h.columns.empty(), "its history has no columns");
  check.same(h.values.size(), h.steps.size() * h.columns.size(), "values of its history");
  check.same(h.speed.size(), h.steps.size(), "speeds of its history");
  std::int64_t before = -1;
  for (const std::int64_t step : h.steps) {
    check.within(step, before + 1, s.step, "history/step");
    before = step;
  }
  for (std::size_t i = 0; i < h.values.size(); ++i)
    check.require(
        std::isfinite(h.values[i]) || (std::isnan(h.values[i]) && i % h.columns.size() > 0),
        "a loss in its history is not finite");
}

void check_unknowns(const std::map<std::string, double>& unknowns, const Check& check) {
  for (const auto& [name, value] : unknowns) {
    check.printable(name);
    check.finite({&value, 1}, "unknowns");
  }
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

/// The network's arrays are among its parameters.
void check_blocks(const std::vector<ParameterBlock>& blocks, std::int64_t parameters,
                  const Check& check) {
  for (const ParameterBlock& block : blocks) {
    std::int64_t size = 1;
    bool fits = block.offset >= 0 && block.offset <= parameters;
    for (int axis = 0; axis < block.shape.rank(); ++axis)
      fits = !__builtin_mul_overflow(size, block.shape[axis], &size) && fits;
    check.require(fits && size >= 0 && size <= parameters - block.offset,
                  fmt::format("'{}' is not among its parameters", block.name));
  }
}

}  // namespace

void require_sense(const Checkpoint& c, const std::string& file) {
  const Check check(file);
  const TrainState& s = c.state;
  check.require(s.parameters.shape().rank() == 1 && s.parameters.numel() > 0,
                "its 'parameters' are no list");
  check.finite(s.parameters.data<double>(), "parameters");
  check.finite(s.weights, "weights");
  const std::string disagreeing = disagreement(c);
  check.require(disagreeing.empty(), disagreeing);
  check_finished(s, check);
  check_counts(s, check);
  check_weighting(s, check);
  check_best(s, check);
  check_history(s, check);
  check_unknowns(c.unknowns, check);
  check_unknowns(c.best_unknowns, check);
  check_blocks(c.blocks, s.parameters.numel(), check);
}

void require_windows(const Checkpoint& c, const Run& run, const std::string& file) {
  const Check check(file);
  const std::size_t windows = window_count(run);
  check.within(std::int64_t(c.state.finished.size()), 0, std::int64_t(windows) - 1,
               "number of windows that are done");
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  check.same(std::size_t(c.state.parameters.numel()), model.parameter_count(), "parameters");
}

void require_fit(const Checkpoint& c, const Run& run, const Model& model,
                 const std::vector<LossTerm>& terms, const std::string& file, Ranks& ranks) {
  const Check check(file);
  check.same(std::size_t(c.state.parameters.numel()), model.parameter_count(), "parameters");
  check.same(c.state.weights.size(), terms.size(), "weights");
  for (std::size_t k = 0; k < terms.size(); ++k)
    check.require(had_before(c.record, ".weighting.kind") || weighs_terms(run) ||
                      c.state.weights[k] == terms[k].weight,
                  fmt::format("the weight of '{}' is not that of the problem", terms[k].name));
  check_draws(c, run, check);
  check_stages(c, run, model, ranks, check);
  check_ramp(c, run, check);
  check_columns(c.state, run, terms, check);
}

}  // namespace pinn
