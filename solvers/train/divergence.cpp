#include "solvers/train/divergence.h"

#include <fmt/format.h>

#include <cmath>

namespace pinn {
namespace {

/// Without the sign that some processors give it.
std::string name_of(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

std::string subject(const Divergence& d) {
  for (std::size_t k = 0; k < d.loss.terms.size(); ++k)
    if (!std::isfinite(d.loss.terms[k]))
      return fmt::format("the loss became {} at step {}, in requirement '{}'",
                         name_of(d.loss.terms[k]), d.step, d.terms[k].name);
  if (!std::isfinite(d.loss.total))
    return fmt::format("the loss became {} at step {}", name_of(d.loss.total), d.step);
  return fmt::format("the gradient of the loss is no longer finite at step {}", d.step);
}

std::string remedy(const Divergence& d) {
  if (d.step == 0)
    return "look in that residual for a division by 0 and for roots or logarithms that meet 0 or "
           "negative numbers";
  if (d.optimizer.kind == "lbfgs" || d.optimizer.kind == "ssbroyden")
    return fmt::format("resume with a shorter stage, --set stage.{}.steps=N, or redraw more points",
                       d.stage + 1);
  return fmt::format(
      "resume from it with a smaller step, --set stage.{0}.rate={1:g} (now {2:g}), or with --set "
      "stage.{0}.clip=1.0",
      d.stage + 1, d.optimizer.rate / 10, d.optimizer.rate);
}

}  // namespace

Report report(const Divergence& d) {
  return {subject(d),
          d.saved.empty() ? "the last finite state could not be saved"
                          : "last finite state: " + d.saved,
          remedy(d)};
}

}  // namespace pinn
