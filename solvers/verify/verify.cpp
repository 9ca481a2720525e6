#include "solvers/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "autograd/core/version.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/fields/export.h"
#include "solvers/residual/loss/loss.h"
#include "solvers/state/choices.h"
#include "solvers/train/train.h"
#include "solvers/trust/estimate.h"

namespace pinn {
namespace {

constexpr int sets = 8;              ///< of fresh points
constexpr double times_smaller = 3;  ///< than at fresh points: too good to be true

const Claim* claim_named(const std::string& name, const Claims& all) {
  const auto at = std::ranges::find(all, name, &Claim::name);
  return at == all.end() ? nullptr : &*at;
}

/// True of what any version claims.
bool is_main(const Claim& claim) {
  return std::ranges::any_of(std::array{"held-out residual", "error of ", "unknown "},
                             [&](const char* start) { return claim.name.starts_with(start); });
}

bool agree(double claimed, const Claim& anew, bool exactly) {
  if (std::isnan(claimed) || std::isnan(anew.value))
    return std::isnan(claimed) == std::isnan(anew.value);
  const double allowed = exactly ? 1e-12 * std::abs(anew.value) : tolerance(anew);
  return std::abs(claimed - anew.value) <= allowed;
}

std::string line(const std::string& name, double claimed, const std::string& anew, bool holds) {
  return fmt::format("  {:<40} {:>16.9g} {:>16}{}\n", name, std::isnan(claimed) ? NAN : claimed,
                     anew, holds ? "" : "   NOT TRUE");
}

/// Not what a clock has in it.
bool same_history(const LossHistory& a, const LossHistory& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.columns == b.columns && a.steps == b.steps &&
         std::ranges::equal(a.values, b.values, same);
}

/// Mean squares over sets of fresh points of one window.
std::vector<double> fresh_residuals(const TrainedWindow& window, const Random& random,
                                    ThreadPool& pool) {
  const Run& run = *window.run;
  Loss loss(window.network.model, judging_options(run, *window.network.model), pool);
  std::vector<double> found;
  for (int set = 0; set < sets; ++set) {
    for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
      loss.set_points(r, fresh_points(run, r, int(held_out_points(run, r).count),
                                      random.bits(std::uint64_t(set))[0]));
    found.push_back(loss.value(window.network.parameters).total);
  }
  return found;
}

}  // namespace

bool same_bits(const RunRecord& record) {
  return record.program == fmt::format("pinn-train {}", version()) &&
         record.instruction_set == instruction_set() && record.device == name_of(Device::cpu);
}

Verification compared(const Claims& claimed, const Claims& anew, bool exactly, bool all_claimed) {
  Verification all;
  std::size_t held = 0;
  for (const Claim& claim : claimed) {
    const Claim* const found = claim_named(claim.name, anew);
    const bool holds = found && agree(claim.value, *found, exactly);
    all.text +=
        line(claim.name, claim.value, found ? fmt::format("{:.9g}", found->value) : "none", holds);
    all.holds = all.holds && holds;
    held += holds;
  }
  for (const Claim& claim : anew) {
    if (!all_claimed || claim_named(claim.name, claimed) || !(exactly || is_main(claim))) continue;
    all.text +=
        fmt::format("  {:<40} {:>16} {:>16.9g}   NOT CLAIMED\n", claim.name, "", claim.value);
    all.holds = false;
  }
  const std::string within = exactly ? "to 1e-12: the same program on the same processor"
                                     : "to what rounding differs by between two processors";
  all.text = fmt::format("{:<42} {:>16} {:>16}\n{}{} of {} numbers hold, {}\n", "number", "claimed",
                         "computed anew", all.text, held, claimed.size(), within);
  return all;
}

Verification at_fresh_points(const Run& run, const TrainState& state, std::uint64_t seed,
                             ThreadPool& pool) {
  const std::vector<TrainedWindow> windows =
      trained_windows(run, networks_of(run, state, pool, run.path), state, pool);
  Verification all;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const double claimed =
        k < state.finished.size() ? state.finished[k].best.residual : state.best.residual;
    const std::vector<double> found =
        fresh_residuals(windows[k], {seed, stream("verify", "points"), std::uint32_t(k)}, pool);
    const auto [least, most] = std::ranges::minmax(found);
    const bool holds = claimed * times_smaller >= least;
    all.text +=
        fmt::format("at {} sets of fresh points{}: {:.3g} to {:.3g}, held-out residual {:.3g}{}\n",
                    sets, windows.size() > 1 ? fmt::format(", window {}", k + 1) : "", least, most,
                    claimed, holds ? "" : "   NOT TRUE");
    all.holds = all.holds && holds;
  }
  return all;
}

Verification retrained(const Run& run, const Checkpoint& checkpoint, const std::string& folder) {
  if (std::size_t(checkpoint.state.stage) < run.stages.size())
    return {"not trained again: the run is not done, and its end is not known\n"};
  const TrainResult result =
      train(run, {.folder = {run.name, folder}, .style = ProgressStyle::silent});
  if (result.interrupted) return {result.reason + ": stopped, and not trained again\n", true, true};
  const Checkpoint anew = load_checkpoint(folder + "/" + checkpoint_name);
  const std::span<const double> was = checkpoint.state.parameters.data<double>();
  const std::span<const double> is = anew.state.parameters.data<double>();
  double largest = was.size() == is.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i)
    largest = std::max(largest, std::abs(was[i] - is[i]));
  const bool same = largest == 0 && anew.state.step == checkpoint.state.step &&
                    anew.state.best.parameters == checkpoint.state.best.parameters &&
                    same_history(anew.state.history, checkpoint.state.history);
  if (same) return {fmt::format("trained again: {} parameters, the same bits\n", is.size()), true};
  const std::string differs = fmt::format(
      "trained again: other parameters, by up to {:.2g}; the held-out residual is {:.3g} "
      "and was {:.3g}",
      largest, anew.state.best.residual, checkpoint.state.best.residual);
  if (same_bits(checkpoint.record))
    return {differs +
                "   NOT REPRODUCED\n  --init-from and --eager, settings that changed on the way, "
                "and a sitting on another processor are not on record, and may be why\n",
            false};
  return {differs + fmt::format("\n  bits can be compared only with {} for {} on {}\n",
                                checkpoint.record.program, checkpoint.record.instruction_set,
                                checkpoint.record.device),
          true};
}

}  // namespace pinn
