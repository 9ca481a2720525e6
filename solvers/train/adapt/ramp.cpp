#include "solvers/train/adapt/ramp.h"

#include <algorithm>
#include <cmath>

namespace pinn {
namespace {

std::int64_t levels_of(const Stage& stage, const Ramp& ramp) {
  return std::clamp<std::int64_t>(stage.optimizer.steps, 1, ramp.levels);
}

std::int64_t level_at(const Stage& stage, const Ramp& ramp, std::int64_t step) {
  const std::int64_t levels = levels_of(stage, ramp);
  const auto passed = static_cast<__int128>(step) * levels;
  return stage.optimizer.steps == 0
             ? 0
             : std::min(levels - 1, std::int64_t(passed / stage.optimizer.steps));
}

/// The first step of a level.
std::int64_t start_of(const Stage& stage, const Ramp& ramp, std::int64_t level) {
  const std::int64_t levels = levels_of(stage, ramp);
  return std::int64_t((static_cast<__int128>(level) * stage.optimizer.steps + levels - 1) / levels);
}

double value_of(const Ramp& ramp, double end, std::int64_t level, std::int64_t levels) {
  if (level + 1 >= levels) return end;
  const double share = double(level) / double(levels - 1);
  if (ramp.from * end > 0) return ramp.from * std::pow(end / ramp.from, share);
  return ramp.from + (end - ramp.from) * share;
}

}  // namespace

std::vector<std::string> ramped_constants(const Run& run) {
  std::vector<std::string> names;
  for (const Constant& c : run.problem.constants) {
    const auto ramps = [&](const Ramp& ramp) { return ramp.constant == c.name; };
    if (std::ranges::any_of(run.stages,
                            [&](const Stage& s) { return std::ranges::any_of(s.ramp, ramps); }))
      names.push_back(c.name);
  }
  return names;
}

std::map<std::string, double> ramped_values(const Run& run, const Stage& stage, std::int64_t step) {
  std::map<std::string, double> values;
  for (const Ramp& ramp : stage.ramp)
    for (const Constant& c : run.problem.constants)
      if (c.name == ramp.constant)
        values[c.name] =
            value_of(ramp, c.value, level_at(stage, ramp, step), levels_of(stage, ramp));
  return values;
}

std::int64_t next_level(const Stage& stage, std::int64_t step) {
  std::int64_t next = stage.optimizer.steps;
  for (const Ramp& ramp : stage.ramp) {
    const std::int64_t level = level_at(stage, ramp, step) + 1;
    if (level < levels_of(stage, ramp)) next = std::min(next, start_of(stage, ramp, level));
  }
  return next;
}

bool is_ramp_over(const Stage& stage, std::int64_t step) {
  return std::ranges::all_of(stage.ramp, [&](const Ramp& ramp) {
    return level_at(stage, ramp, step) + 1 == levels_of(stage, ramp);
  });
}

}  // namespace pinn
