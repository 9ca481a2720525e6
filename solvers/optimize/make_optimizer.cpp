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

void check_decay(const OptimizerOptions& o) {
  if (o.kind != "adam" || o.weight_decay == 0) return;
  throw ConfigError({fmt::format("weight_decay = {} is not possible with adam", o.weight_decay),
                     "optimizer options", "use adamw or sgd, or leave weight_decay out"});
}

/// What ssbroyden needs: H as a triangle, and the square that a check of it takes.
double dense_bytes(double parameters) {
  return 8 * (parameters * (parameters + 1) / 2 + parameters * parameters);
}

void check_memory(std::size_t parameters) {
  const double bytes = dense_bytes(static_cast<double>(parameters));
  if (bytes <= memory_limit) return;
  throw ConfigError({fmt::format("ssbroyden would need {:.1f} GiB for its inverse Hessian of {} "
                                 "parameters; the limit is {:.0f} GiB",
                                 bytes / (1 << 30), parameters, memory_limit / (1 << 30)),
                     "optimizer options",
                     fmt::format("use lbfgs, or a network of at most {:.0f} parameters",
                                 std::floor((std::sqrt(1 + 3 * memory_limit) - 1) / 6))});
}

}  // namespace

const std::vector<std::string>& optimizer_kinds() {
  static const std::vector<std::string> kinds = {"adam", "adamw", "sgd", "lbfgs", "ssbroyden"};
  return kinds;
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
  check_name("optimizer", options.kind, optimizer_kinds());
  check_schedule(options.schedule);
  check_numbers(options);
  check_decay(options);
  if (options.kind == "sgd") return make_sgd(options);
  if (options.kind == "lbfgs") return make_lbfgs(options);
  if (options.kind == "ssbroyden") {
    check_memory(parameters);
    return make_ssbroyden(options);
  }
  return make_adam(options);
}

}  // namespace pinn
