#include "solvers/state/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "autograd/core/error.h"

namespace pinn {
namespace {

Tensor copy(const Tensor& t) { return t.defined() ? t.detach().clone() : Tensor(); }

}  // namespace

bool BestModel::offer(std::span<const double> p, double held_out, std::int64_t at) {
  if (held_out < smallest) {
    smallest = held_out;
    smallest_step = at;
  }
  if (held_out > about_as_good * smallest) return false;
  parameters.assign(p.begin(), p.end());
  residual = held_out;
  step = at;
  return true;
}

bool is_kept(std::int64_t step, std::int64_t distance) {
  if (distance <= all_kept) return true;
  std::int64_t every = record_every;
  for (std::int64_t reach = all_kept; reach < distance; reach *= 2) every *= 2;
  return step % every == 0;
}

template <class Keep> void LossHistory::keep_if(Keep keep) {
  const std::size_t width = columns.size();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (keep(steps[i])) kept.push_back(i);
  for (std::size_t to = 0; to < kept.size(); ++to) {
    const std::size_t from = kept[to];
    steps[to] = steps[from];
    if (!speed.empty()) speed[to] = speed[from];
    std::copy_n(values.begin() + std::ptrdiff_t(from * width), width,
                values.begin() + std::ptrdiff_t(to * width));
  }
  steps.resize(kept.size());
  speed.resize(std::min(speed.size(), kept.size()));
  values.resize(kept.size() * width);
}

void LossHistory::cut(std::int64_t step) {
  keep_if([&](std::int64_t of) { return of <= step; });
}

void LossHistory::add(std::int64_t step, const std::vector<double>& row, const Speed& now) {
  if (row.size() != columns.size())
    throw ShapeError({fmt::format("{} values for the {} columns of the loss history", row.size(),
                                  columns.size()),
                      fmt::format("step {}", step), "give one value per column"});
  if (!steps.empty() && step / all_kept != steps.back() / all_kept)
    keep_if([&](std::int64_t of) { return of == steps.front() || is_kept(of, step - of); });
  steps.push_back(step);
  speed.push_back(now);
  values.insert(values.end(), row.begin(), row.end());
}

void LossHistory::set_columns(const std::vector<std::string>& names) {
  if (names == columns) return;
  std::vector<double> moved;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const std::string& name : names) {
      const auto old =
          std::size_t(std::find(columns.begin(), columns.end(), name) - columns.begin());
      moved.push_back(old < columns.size() ? values[i * columns.size() + old] : std::nan(""));
    }
  columns = names;
  values = std::move(moved);
}

bool gains_too_little(const GainOptions& gain, const TrainState& state) {
  if (gain.factor <= 0 || state.stage_step < gain.steps) return false;
  const LossHistory& history = state.history;
  const auto& names = history.columns;
  const auto column =
      std::size_t(std::find(names.begin(), names.end(), "held_out") - names.begin());
  double before = INFINITY, lately = INFINITY;
  for (std::size_t i = 0; i < history.steps.size() && column < names.size(); ++i) {
    if (history.steps[i] < state.window_start()) continue;
    double& least = history.steps[i] <= state.step - gain.steps ? before : lately;
    least = std::fmin(least, history.values[i * names.size() + column]);
  }
  return std::isfinite(before) && std::isfinite(lately) && before < gain.factor * lately;
}

TrainState copy_without_history(const TrainState& state) {
  TrainState own{.parameters = copy(state.parameters),
                 .memory = state.memory,
                 .stage = state.stage,
                 .stage_step = state.stage_step,
                 .step = state.step,
                 .ramp_step = state.ramp_step,
                 .average = state.average,
                 .draws = state.draws,
                 .weights = state.weights,
                 .weighting = state.weighting,
                 .best = state.best,
                 .steps_without_better = state.steps_without_better,
                 .history = {},
                 .seconds = state.seconds,
                 .finished = state.finished};
  for (OptimizerMemory& memory : own.memory)
    for (auto& [name, tensor] : memory.tensors) tensor = copy(tensor);
  return own;
}

}  // namespace pinn
