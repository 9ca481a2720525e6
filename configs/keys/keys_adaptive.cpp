// The table of keys: what a stage adapts while it trains.
#include "configs/keys/bind.h"

namespace pinn::config {
namespace {

AdaptiveOptions& adaptive(Draft& d, std::size_t i) { return d.run.stages.at(i).sampling; }

}  // namespace

/// The defaults of rad are those of Wu et al. (2023), arXiv 2207.10289 (k = c = 1), and of Urban et
/// al. (2025), arXiv 2405.04230, whose second-order runs choose from 50 000 points every 500 steps.
std::vector<Key> adaptive_keys() {
  const auto option = [](Key key, auto member, std::vector<std::string> only = {}) {
    key.path = "stage.#.sampling." + key.path;
    if (!key.required) key.chooser = "sampling.kind";
    key.only = std::move(only);
    return bound(std::move(key), adaptive, member);
  };
  using A = AdaptiveOptions;
  return {
      option({.path = "kind",
              .says = "points follow the residual: `rad` draws all anew by it, `rar` adds where it "
                      "is largest, `r3` keeps those above its mean",
              .required = true,
              .choices = adaptive_kinds()},
             &A::kind),
      option(
          {.path = "every", .says = "steps from one choice to the next", .range = between(1, many)},
          &A::every, adaptive_kinds()),
      option({.path = "candidates",
              .says = "points of each requirement among which is chosen",
              .range = between(1, most_points)},
             &A::candidates, adaptive_kinds()),
      option({.path = "power",
              .says = "k of the density abs(r)^k / mean abs(r)^k + c",
              .range = between(0, 16)},
             &A::power, {"rad"}),
      option({.path = "floor",
              .says = "c of this density: the share that is spread evenly is c / (1 + c)",
              .range = at_least(0)},
             &A::floor, {"rad"}),
      option({.path = "add",
              .says = "points added at a time, as a share of `points`",
              .range = {.lower = 0, .upper = 1, .open = true}},
             &A::add, {"rar"}),
      option({.path = "most",
              .says = "points at most, as a multiple of `points`: then new ones replace those with "
                      "the smallest residuals",
              .range = between(1, 1000)},
             &A::most, {"rar"}),
  };
}

}  // namespace pinn::config
