#include "solvers/train/summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace pinn {
namespace {

/// Why the network of the last step is not the result, with its errors beside those of the result.
std::string last_text(const TrainResult& result) {
  if (!result.last) return "";
  std::string text = fmt::format(
      "the result is the network of step {}: that of the last step, {}, has a larger held-out "
      "residual, {:.2e}",
      result.step, result.last->step, result.last->loss);
  for (const Distance& d : result.last->errors)
    text += fmt::format(", and the error {:.2e} of {}", d.l2, d.name);
  return text + "\n";
}

std::string residual_text(const TrainResult& result) {
  std::size_t width = 0;
  for (const TermResult& term : result.terms) width = std::max(width, term.name.size());
  std::string text = fmt::format("held-out residual {:.2e}\n", result.loss);
  for (const TermResult& term : result.terms)
    text += fmt::format("  {:<{}}  {:.2e}, at the training points {:.2e}, at most {:.2e}\n",
                        term.name, width, term.held_out, term.training, term.largest);
  return text;
}

}  // namespace

std::string summary(const TrainResult& result) {
  std::string text = last_text(result) + residual_text(result);
  for (const auto& [name, value] : result.unknowns)
    text += fmt::format("{} = {:.8g}\n", name, value);
  for (const Distance& d : result.errors) text += distance_text(d) + "\n";
  for (const std::string& file : result.files) text += fmt::format("wrote {}\n", file);
  return text;
}

std::string which_network(const BestModel& best, std::int64_t last_step) {
  if (best.parameters.empty())
    return fmt::format("the network of step {}, not judged yet", last_step);
  const std::string last =
      best.step == last_step ? "the last" : fmt::format("the last is of step {}", last_step);
  return fmt::format("the network of step {} ({}), with the held-out residual {:.2e}", best.step,
                     last, best.residual);
}

}  // namespace pinn
