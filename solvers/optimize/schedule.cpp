#include "solvers/optimize/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pinn {
namespace {

/// f(i) of the docstring; i moves after the warm-up, `length` of them in all.
double factor(const ScheduleOptions& s, double i, double length) {
  const double decays = i / static_cast<double>(s.every);
  if (s.kind == "exponential") return std::pow(s.decay, decays);
  if (s.kind == "step") return std::pow(s.decay, std::floor(decays));
  if (s.kind == "inverse_time") return 1 / (1 + s.decay * decays);
  if (s.kind == "cosine") {
    const double part = length > 0 ? std::min(i / length, 1.0) : 1.0;
    return s.final + (1 - s.final) * (1 + std::cos(std::numbers::pi * part)) / 2;
  }
  return 1;
}

}  // namespace

double scheduled_rate(const OptimizerOptions& options, long move) {
  const ScheduleOptions& s = options.schedule;
  const double warm = move < s.warm_up ? double(move + 1) / double(s.warm_up) : 1.0;
  const double since = static_cast<double>(std::max(move - s.warm_up, 0L));
  return options.rate * warm * factor(s, since, static_cast<double>(options.steps - s.warm_up));
}

}  // namespace pinn
