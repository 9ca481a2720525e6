// Results of the run of a member.
#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/sweep/member_record.h"

namespace pinn::sweep {
namespace {

/// The latest finite value of a column among the records up to a step, later than another.
double latest(const LossHistory& history, std::size_t column, std::int64_t after,
              std::int64_t step) {
  const std::size_t width = history.columns.size();
  for (std::size_t row = history.steps.size(); row-- > 0;) {
    const double value = history.values[row * width + column];
    if (history.steps[row] <= step && history.steps[row] >= after && std::isfinite(value))
      return value;
  }
  return NAN;
}

/// The same at the result; over all windows of time the largest.
double at_result(const TrainState& state, std::size_t column) {
  double value = latest(state.history, column, state.window_start(),
                        state.best.step < 0 ? state.step : state.best.step);
  std::int64_t start = 0;
  for (const FinishedWindow& window : state.finished) {
    value = std::max(value, latest(state.history, column, start, window.best.step));
    start = window.end;
  }
  return value;
}

}  // namespace

Results results_of(const std::string& run_folder) try {
  Results results{NAN, NAN, NAN, NAN, {}};
  const Found found = newest_checkpoint(run_folder, Contents::without_shared);
  if (!found.checkpoint) return results;
  const TrainState& state = found.checkpoint->state;
  const bool judged = !state.best.parameters.empty();
  results.steps = double(state.step);
  results.parameters = double(state.parameters.numel());
  results.seconds = state.seconds;
  if (judged) results.held_out = state.best.residual;
  const LossHistory& history = state.history;
  for (std::size_t k = 0; k < history.columns.size(); ++k)
    if (const std::string& name = history.columns[k]; name.starts_with("error:"))
      results.numbers.emplace_back(name, at_result(state, k));
    else if (name.starts_with("value:"))
      results.numbers.emplace_back(name, latest(history, k, 0, state.step));
  const auto& unknowns = judged ? found.checkpoint->best_unknowns : found.checkpoint->unknowns;
  for (const auto& [name, value] : unknowns) results.numbers.emplace_back("unknown:" + name, value);
  return results;
} catch (const FileError&) {
  return {NAN, NAN, NAN, NAN, {}};  // a damaged checkpoint: its numbers are not known
}

}  // namespace pinn::sweep
