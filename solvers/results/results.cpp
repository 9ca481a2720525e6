#include "solvers/results/results.h"

#include <fmt/format.h>

#include "solvers/state/windows.h"

namespace pinn {

std::string distance_text(const Distance& d) {
  if (std::isnan(d.l2))
    return fmt::format("no error of {}: it is not a finite number at {}", d.name, d.where);
  return fmt::format("{} L2 error of {}: {:.2e}{}, largest {:.1e} at {}",
                     d.absolute ? "absolute" : "relative", d.name, d.l2,
                     d.absolute ? " (its reference is zero)" : "", d.largest, d.where);
}

std::string value_text(const FoundValue& v) {
  constexpr double worth_telling = 1e-6;
  if (std::isnan(v.value)) return v.name + " = nan";  // without the sign of some processors
  std::string text = fmt::format("{} = {:.9g}", v.name, v.value);
  if (v.quadrature > worth_telling * std::fabs(v.value))
    text += fmt::format(" (integrated to {:.0e})", v.quadrature);
  if (!std::isnan(v.error))
    text += fmt::format(", {} error {:.2e}", v.absolute ? "absolute" : "relative", v.error);
  return text;
}

std::vector<WindowResult> windows_of(const Run& run, const TrainState& state) {
  std::vector<WindowResult> all;
  const auto add = [&](const BestModel& best) {
    const Interval times = window_times(run, all.size());
    all.push_back({times.lower, times.upper, best.step, best.residual});
  };
  if (window_count(run) == 1) return all;
  for (const FinishedWindow& window : state.finished) add(window.best);
  add(state.best);
  return all;
}

std::string which_network(const BestModel& best, std::int64_t last_step) {
  if (best.parameters.empty())
    return fmt::format("the network of step {}, not judged yet", last_step);
  const std::string last =
      best.step == last_step ? "the last" : fmt::format("the last is of step {}", last_step);
  return fmt::format("the network of step {} ({}), with the held-out residual {:.2e}", best.step,
                     last, best.residual);
}

std::string which_network(const TrainState& state) {
  std::string text;
  for (const FinishedWindow& window : state.finished)
    text += fmt::format("{}{}", text.empty() ? "windows with the networks of steps " : ", ",
                        window.best.step);
  return (text.empty() ? "" : text + ", then ") + which_network(state.best, state.step);
}

}  // namespace pinn
