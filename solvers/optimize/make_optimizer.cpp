#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/optimize/kinds.h"

namespace pinn {
namespace {

constexpr double memory_limit = 4.0 * (1 << 30);

void check_name(const char* what, const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw ConfigError({fmt::format("there is no {} '{}'", what, name),
                     fmt::format("{} options", what),
                     fmt::format("choose one of {}", fmt::join(known, ", "))});
}

/// A number that must satisfy a condition, said in words.
void check(const char* name, double value, bool good, const char* condition) {
  if (good && std::isfinite(value)) return;
  throw ConfigError({fmt::format("{} = {} is not possible", name, value), "optimizer options",
                     fmt::format("choose {} {}", name, condition)});
}

void check_schedule(const ScheduleOptions& s) {
  check_name("schedule", s.kind, schedule_kinds());
  check("schedule.warm_up", double(s.warm_up), s.warm_up >= 0, ">= 0");
  check("schedule.every", double(s.every), s.every > 0, "> 0");
  check("schedule.decay", s.decay, s.decay > 0, "> 0");
  check("schedule.final", s.final, s.final >= 0 && s.final <= 1, "between 0 and 1");
}

void check_numbers(const OptimizerOptions& o) {
  const auto below_one = [](double x) { return x >= 0 && x < 1; };
  check("steps", double(o.steps), o.steps >= 0, ">= 0");
  check("rate", o.rate, o.rate > 0, "> 0");
  check("beta1", o.beta1, below_one(o.beta1), "in [0, 1)");
  check("beta2", o.beta2, below_one(o.beta2), "in [0, 1)");
  check("epsilon", o.epsilon, o.epsilon > 0, "> 0");
  check("weight_decay", o.weight_decay, o.weight_decay >= 0, ">= 0");
  check("momentum", o.momentum, below_one(o.momentum), "in [0, 1)");
  check("clip", o.clip, o.clip >= 0, ">= 0; 0 means no clipping");
  check("history", o.history, o.history > 0, "> 0");
  check("tolerance", o.tolerance, o.tolerance >= 0, ">= 0");
}

/// The bytes that `parameters` cost an optimizer.
double bytes_of(const OptimizerKind& kind, const OptimizerOptions& options, double parameters) {
  return 8 * (kind.remembers(options, parameters) + kind.works_with(parameters));
}

/// The most parameters within the limit.
double most_parameters(const OptimizerKind& kind, const OptimizerOptions& options) {
  double fits = 0, too_many = memory_limit;
  while (too_many - fits > 1) {
    const double middle = std::floor((fits + too_many) / 2);
    (bytes_of(kind, options, middle) <= memory_limit ? fits : too_many) = middle;
  }
  return fits;
}

void check_memory(const OptimizerKind& kind, const OptimizerOptions& options, double parameters) {
  const double bytes = bytes_of(kind, options, parameters);
  if (!kind.instead || bytes <= memory_limit) return;
  throw ConfigError(
      {fmt::format("{} would need {:.1f} GiB for what it learns of {} parameters; "
                   "the limit is {:.0f} GiB",
                   kind.name, bytes / (1 << 30), parameters, memory_limit / (1 << 30)),
       "optimizer options",
       fmt::format("use {}, or a network of at most {:.0f} parameters", kind.instead,
                   most_parameters(kind, options))});
}

}  // namespace

const std::vector<std::string>& optimizer_kinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const OptimizerKind* kind : kinds::all) list.push_back(kind->name);
    return list;
  }();
  return names;
}

std::vector<std::string> kinds_with_a_rate() {
  std::vector<std::string> names;
  for (const OptimizerKind* kind : kinds::all)
    if (kind->has_rate) names.push_back(kind->name);
  return names;
}

const OptimizerKind& optimizer_kind(const std::string& name) {
  check_name("optimizer", name, optimizer_kinds());
  return **std::find_if(std::begin(kinds::all), std::end(kinds::all),
                        [&](const OptimizerKind* kind) { return kind->name == name; });
}

const std::vector<std::string>& schedule_kinds() {
  static const std::vector<std::string> kinds = {"constant", "exponential", "cosine",
                                                 "inverse_time", "step"};
  return kinds;
}

Moves Optimizer::advance_many(Tensor& p, OptimizerMemory& memory, Objective& objective, long,
                              double) const {
  return {1, advance(p, memory, objective)};
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::size_t parameters) {
  const OptimizerKind& kind = optimizer_kind(options.kind);
  check_schedule(options.schedule);
  check_numbers(options);
  check_memory(kind, options, static_cast<double>(parameters));
  return kind.make(options);
}

}  // namespace pinn
