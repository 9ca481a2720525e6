#include "solvers/records/checkpoints/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "solvers/records/checkpoints/check.h"

namespace pinn {
namespace {

constexpr std::int64_t most_steps = std::int64_t(1) << 53;  ///< that a double counts

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
  check.finite(s.average, "average");
  if (!s.average.empty())
    check.same(s.average.size(), std::size_t(s.parameters.numel()), "averaged parameters");
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

}  // namespace pinn
