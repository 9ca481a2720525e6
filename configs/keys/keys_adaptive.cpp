// The table of keys: what a stage adapts while it trains.
#include <fmt/format.h>

#include "configs/keys/bind.h"
#include "solvers/train/adapt/weights.h"

namespace pinn::config {
namespace {

WeightingOptions& weighting(Draft& d, std::size_t i) { return d.run.stages.at(i).weighting; }
PointwiseOptions& pointwise(Draft& d, std::size_t i) { return d.run.stages.at(i).pointwise; }
CausalOptions& causal(Draft& d, std::size_t i) { return d.run.stages.at(i).causal; }
AdaptiveOptions& adaptive(Draft& d, std::size_t i) { return d.run.stages.at(i).sampling; }

/// A table of a stage, whose kind says which other keys it has.
template <class Options> struct Table {
  const char* name;
  Options& (*of)(Draft&, std::size_t stage);

  Key operator()(Key key, auto member, std::vector<std::string> only = {}) const {
    key.path = fmt::format("stage.#.{}.{}", name, key.path);
    if (!only.empty()) key.chooser = fmt::format("{}.kind", name);
    key.only = std::move(only);
    return bound(std::move(key), of, member);
  }
};

/// Default of 1 step, and that of quasi-Newton methods, to which each change costs an evaluation.
constexpr const char* each_step = "1; 100 with lbfgs and ssbroyden";

/// The defaults of rad are those of Wu et al. (2023), arXiv 2207.10289 (k = c = 1), and of Urban et
/// al. (2025), arXiv 2405.04230, whose second-order runs choose from 50 000 points every 500 steps.
std::vector<Key> point_choice_keys() {
  const Table<AdaptiveOptions> option{"sampling", adaptive};
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

/// The defaults are those of the papers (solvers/train/adapt/weights.h); every and memory of
/// grad_norm and ntk those of Wang, Sankaran, Wang & Perdikaris (2023), arXiv 2308.08468.
std::vector<Key> weighting_keys() {
  const Table<WeightingOptions> option{"weighting", weighting};
  using W = WeightingOptions;
  return {
      option(
          {.path = "kind",
           .says = "the weights of loss terms follow the training: their gradients (`grad_norm`), "
                   "the rows of their Jacobian (`ntk`), how fast they fall (`relobralo`, "
                   "`softadapt`), how large they are (`balance`)",
           .required = true,
           .choices = weighting_kinds()},
          &W::kind),
      option({.path = "every",
              .says = "steps from one change to the next",
              .fallback = "1000 for grad_norm and ntk; else 1, or 100 with lbfgs and ssbroyden",
              .range = between(1, many)},
             &W::every, weighting_kinds()),
      option({.path = "memory",
              .says = "share of the weights that stays at a change",
              .fallback = "0.9; 0.999 for relobralo",
              .range = share()},
             &W::memory, {"grad_norm", "ntk", "relobralo"}),
      option({.path = "temperature",
              .says = "how unlike weights may be: the less, the more",
              .range = above(0)},
             &W::temperature, {"relobralo"}),
      option({.path = "lookback",
              .says =
                  "how often the weights of the change before count, and not those since the start",
              .range = between(0, 1)},
             &W::lookback, {"relobralo"}),
      option({.path = "beta", .says = "above 0 weighs terms that rise, below 0 those that fall"},
             &W::beta, {"softadapt"}),
      option({.path = "by_loss", .says = "times the losses themselves"}, &W::by_loss,
             {"softadapt"}),
      option({.path = "power", .says = "of the ratio to the mean", .range = between(0, 1)},
             &W::power, {"balance"}),
  };
}

/// The rates are those of Anagnostopoulos et al. (2023), arXiv 2307.00379, and McClenny &
/// Braga-Neto (2020), arXiv 2009.04544.
std::vector<Key> pointwise_keys() {
  const Table<PointwiseOptions> option{"pointwise", pointwise};
  using P = PointwiseOptions;
  return {
      option(
          {.path = "kind",
           .says = "each point has a factor of its own, which grows with its residual by a running "
                   "mean (`rba`) or by ascent (`self_adaptive`)",
           .required = true,
           .choices = pointwise_kinds()},
          &P::kind),
      option({.path = "every",
              .says = "steps from one change to the next",
              .fallback = each_step,
              .range = between(1, many)},
             &P::every, pointwise_kinds()),
      option({.path = "memory", .says = "share of the factor that stays", .range = share()},
             &P::memory, {"rba"}),
      option({.path = "rate",
              .says = "what the largest residual adds; or the step of the ascent",
              .fallback = "0.01; 0.005 for self_adaptive",
              .range = above(0)},
             &P::rate, pointwise_kinds()),
  };
}

/// A stage waits where it has this table; its own keys have no chooser. Default: Wang, Sankaran &
/// Perdikaris (2024), arXiv 2203.07404.
std::vector<Key> causal_keys() {
  const Table<CausalOptions> table{"causal", causal};
  const auto option = [table](Key key, auto member) {
    Key made = table(std::move(key), member);
    made.get = [get = made.get](const Draft& d, std::size_t i) {
      return d.run.stages.at(i).causal.chunks == 0 ? std::string() : get(d, i);
    };
    return made;
  };
  using C = CausalOptions;
  return {
      option({.path = "tolerance",
              .says = "equations at later times wait: exp(-tolerance * squared residual of all "
                      "earlier times)",
              .fallback = "1.0",
              .range = at_least(0)},
             &C::tolerance),
      option({.path = "chunks",
              .says = "pieces of time that wait for one another",
              .fallback = "32",
              .range = between(2, 100'000)},
             &C::chunks),
      option({.path = "every",
              .says = "steps from one change to the next",
              .fallback = each_step,
              .range = between(1, many)},
             &C::every),
  };
}

/// They are read together: read_adaptive_stages.cpp.
std::vector<Key> ramp_keys() {
  return {
      {.path = "stage.#.ramp.*.from",
       .says = "a constant begins with this value and comes to its own, by equal factors (by equal "
               "differences where signs differ or one is 0)",
       .syntax = syntax::constant,
       .required = true},
      {.path = "stage.#.ramp.*.levels",
       .says = "values on the way, both ends included, of as many steps each",
       .syntax = syntax::integer,
       .fallback = "8",
       .range = between(2, 100'000)},
      bound({.path = "stage.#.train",
             .says = "what is trained: `network` and unknowns by name; all else stays as it is",
             .fallback = "all"},
            stage, &Stage::train),
  };
}

}  // namespace

std::vector<Key> adaptive_keys() {
  std::vector<Key> all;
  for (const auto& part :
       {point_choice_keys(), weighting_keys(), pointwise_keys(), causal_keys(), ramp_keys()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace pinn::config
