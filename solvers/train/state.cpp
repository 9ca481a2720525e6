#include "solvers/train/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "autograd/core/error.h"

namespace pinn {
namespace {

Tensor copy(const Tensor& t) {
  return t.defined() ? from_values(t.data<double>(), t.shape()) : Tensor();
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

bool same_bits(double a, double b) { return same_bits({&a, 1}, {&b, 1}); }

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.shape() == b.shape() && same_bits(a.data<double>(), b.data<double>());
}

bool same_bits(const OptimizerMemory& a, const OptimizerMemory& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.first == y.first && same_bits(x.second, y.second);
  };
  return a.moves == b.moves &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), same) &&
         std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(), same);
}

bool same_bits(const Draw& a, const Draw& b) { return a.count == b.count && a.step == b.step; }

bool same_bits(const Speed& a, const Speed& b) {
  for (int i = 0; i < Speed::count; ++i)
    if (!same_bits(a[i], b[i])) return false;
  return true;
}

template <class T> bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same_bits(x, y); });
}

bool same_best(const BestModel& a, const BestModel& b) {
  return same_bits(a.parameters, b.parameters) && same_bits(a.residual, b.residual) &&
         a.step == b.step && same_bits(a.smallest, b.smallest) &&
         a.smallest_step == b.smallest_step;
}

bool same_history(const LossHistory& a, const LossHistory& b) {
  return a.columns == b.columns && a.steps == b.steps && same_bits(a.values, b.values) &&
         all_same(a.speed, b.speed);
}

}  // namespace

void BestModel::offer(std::span<const double> p, double held_out, std::int64_t at) {
  if (held_out < smallest) {
    smallest = held_out;
    smallest_step = at;
  }
  if (held_out > about_as_good * smallest) return;
  parameters.assign(p.begin(), p.end());
  residual = held_out;
  step = at;
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

TrainState copy_without_history(const TrainState& state) {
  TrainState own{.parameters = copy(state.parameters),
                 .memory = state.memory,
                 .stage = state.stage,
                 .stage_step = state.stage_step,
                 .step = state.step,
                 .draws = state.draws,
                 .weights = state.weights,
                 .best = state.best,
                 .steps_without_better = state.steps_without_better,
                 .history = {},
                 .seconds = state.seconds};
  for (OptimizerMemory& memory : own.memory)
    for (auto& [name, tensor] : memory.tensors) tensor = copy(tensor);
  return own;
}

bool identical(const TrainState& a, const TrainState& b) {
  return same_bits(a.parameters, b.parameters) && all_same(a.memory, b.memory) &&
         a.stage == b.stage && a.stage_step == b.stage_step && a.step == b.step &&
         all_same(a.draws, b.draws) && same_bits(a.weights, b.weights) &&
         same_best(a.best, b.best) && a.steps_without_better == b.steps_without_better &&
         same_history(a.history, b.history) && same_bits(a.seconds, b.seconds);
}

}  // namespace pinn
