#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "autograd/core/error.h"
#include "solvers/optimize/kinds.h"

namespace pinn {
namespace {

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
  check("damping", o.damping, o.damping >= 0, ">= 0; 0 means the method's own");
  check("corrections", o.corrections, o.corrections >= 0, ">= 0");
  check("sketch", o.sketch, o.sketch >= 0, ">= 0; 0 means a third of the parameters");
  check("rank", o.rank, o.rank >= 0, ">= 0; 0 means the method's own");
  check("refresh", o.refresh, o.refresh >= 0, ">= 0; 0 means the method's own");
  check("memory", o.memory, o.memory > 0, "> 0");
  check_name("number type of curvature", o.curvature, {"float64", "float32"});
}

double bytes_of(const OptimizerKind& kind, const OptimizerOptions& options, TrainedSize size) {
  const OptimizerNeeds needs = kind.needs(options, size);
  return 8 * (needs.remembers + needs.works_with);
}

/// As many parameters, in matrices of the same proportions.
TrainedSize scaled(const TrainedSize& size, double parameters) {
  TrainedSize scaled = size;
  const double by = parameters / double(size.parameters);
  scaled.parameters = std::size_t(parameters);
  for (ParameterMatrix& m : scaled.matrices) {
    m.rows = std::max<std::size_t>(1, std::size_t(std::sqrt(by) * double(m.rows)));
    m.columns = std::max<std::size_t>(1, std::size_t(std::sqrt(by) * double(m.columns)));
  }
  return scaled;
}

/// The most parameters within what it may have.
double most_parameters(const OptimizerKind& kind, const OptimizerOptions& options,
                       const TrainedSize& size) {
  double fits = 0, too_many = double(size.parameters);
  while (too_many - fits > 1) {
    const double middle = std::floor((fits + too_many) / 2);
    (bytes_of(kind, options, scaled(size, middle)) <= options.memory ? fits : too_many) = middle;
  }
  return fits;
}

void check_memory(const OptimizerKind& kind, const OptimizerOptions& options,
                  const TrainedSize& size) {
  const double bytes = bytes_of(kind, options, size);
  if (!kind.instead || bytes <= options.memory) return;
  const double fits = most_parameters(kind, options, size);
  const std::string rows = kind.asks_for_rows ? fmt::format(" and {} rows", size.rows) : "";
  const int ranks = size.ranks->count();
  const std::string each = ranks > 1 ? fmt::format(" on each of {} ranks", ranks) : "";
  throw ConfigError(
      {fmt::format("{} would need {:.1f} GiB for what it learns of {} parameters{}{}; "
                   "the limit is {:.3g} GiB",
                   kind.name, bytes / (1 << 30), size.parameters, rows, each,
                   options.memory / (1 << 30)),
       "optimizer options",
       fmt::format("use {}, or {}", kind.instead,
                   fits > 0 ? fmt::format("a network of at most {:.0f} parameters", fits)
                            : "fewer points")});
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

std::vector<std::string> kinds_with_a_limit() {
  std::vector<std::string> names;
  for (const OptimizerKind* kind : kinds::all)
    if (kind->instead) names.push_back(kind->name);
  return names;
}

std::vector<std::string> kinds_that_read(const std::string& option) {
  std::vector<std::string> names;
  for (const OptimizerKind* kind : kinds::all) {
    std::istringstream options(kind->options);
    for (std::string one; options >> one;)
      if (one == option) names.push_back(kind->name);
  }
  if (names.empty()) throw InternalError({"no optimizer reads the option", option, ""});
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

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          const TrainedSize& size) {
  const OptimizerKind& kind = optimizer_kind(options.kind);
  check_schedule(options.schedule);
  check_numbers(options);
  check_memory(kind, options, size);
  return kind.make(options, size);
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::size_t parameters) {
  return make_optimizer(options, TrainedSize{parameters});
}

}  // namespace pinn
