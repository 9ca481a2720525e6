#include "solvers/trust/hidden.h"

#include <fmt/format.h>

#include "solvers/state/windows.h"
#include "solvers/trust/linearized.h"

namespace pinn {
namespace {

Report report(const Jump& jump, const Problem& problem) {
  return {fmt::format("{} jumps by {:.2g} at {}, and {} knows nothing of it: the result solves "
                      "another problem than the one that is asked",
                      jump.quantity, jump.size, place_text(problem.coordinates, jump.place),
                      jump.derivative),
          "the form of the fields, and the coefficients",
          "let what has a kink there stand in a condition and not in [network.output] or under a "
          "derivative; or write what is smooth, such as interpolation = \"cubic\""};
}

Report report(const Unseen& unseen, const Problem& problem) {
  return {
      fmt::format("most of the residual of '{}' is where no point was: it is {:.0f} times that "
                  "at held-out points, by what is at {}",
                  unseen.residual, unseen.times, place_text(problem.coordinates, unseen.place)),
      "the points",
      "put points there: density, a requirement of its own, or points that follow the residual"};
}

Report report(const LostStart& lost, const Problem& problem) {
  return {fmt::format(
              "until {} = {:.3g} the residual of '{}' adds up to {:.0f} % of what {} is and how "
              "it changes: the result does not follow from its start",
              problem.coordinates[std::size_t(time_of(problem))].name, lost.until, lost.residual,
              100 * lost.part, lost.field),
          "the points near the start",
          "put more points there (density), cut time into [windows], or train longer"};
}

}  // namespace

Hidden hidden_from_residuals(const std::vector<TrainedWindow>& windows, double smallest,
                             ThreadPool& pool) {
  const auto cache = std::make_shared<StepCache>();
  Hidden hidden;
  for (const auto& [run, network, weights] : windows) {
    const auto& [model, p] = network;
    for (const Jump& jump : hidden_jumps(*run, model, p, pool, cache))
      if (jump.relative > smallest) hidden.warnings.push_back(report(jump, run->problem));
    for (const Unseen& unseen : unseen_residuals(*run, model, p, pool, cache))
      hidden.warnings.push_back(report(unseen, run->problem));
    if (!hidden.warnings.empty()) hidden.why = "something is hidden from the residual";
    Linearized problem(*run, model, p, weights, nullptr, pool);
    if (problem.absent().empty())
      if (const auto lost = problem.lost_start()) {
        hidden.warnings.push_back(report(*lost, run->problem));
        hidden.why = "the result does not follow from its start";
      }
    if (!hidden.warnings.empty()) break;
  }
  return hidden;
}

}  // namespace pinn
