// The table of keys: how a run computes, when it saves and ends, and its windows of time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "configs/keys/bind.h"
#include "solvers/optimize/kinds.h"

namespace pinn::config {
namespace {

WindowOptions& windows(Draft& d, std::size_t) { return d.run.windows; }
CheckpointOptions& checkpoint(Draft& d, std::size_t) { return d.run.options.checkpoint; }
GainOptions& gain(Draft& d, std::size_t) { return d.run.options.gain; }

std::vector<Key> computing_keys() {
  return {
      bound({.path = "run.seed",
             .says = "the one source of points, initialization and noise",
             .range = at_least(0)},
            run, &RunOptions::seed),
      {.path = "run.device",
       .says = "`cpu`, `cuda`, `cuda:1`, or `auto`: a GPU when there is one",
       .syntax = syntax::string,
       .set = set_device,
       .get = [](const Draft& d, std::size_t) { return to_toml(d.run.options.device); }},
      bound({.path = "run.threads",
             .says = "0: as many as affinity and cgroup allow",
             .range = between(0, 4096)},
            run, &RunOptions::threads),
      bound({.path = "run.precision",
             .says = "of the stages that do not say",
             .fallback = "float64 on a CPU, float32 on a GPU",
             .choices = precisions},
            run, &RunOptions::precision),
      bound({.path = "run.products",
             .says = "arithmetic of float32 matrix products: on a GPU `tf32` and "
                     "`3xtf32`, on a CPU with AMX `bf16x3`; exact, with a warning, elsewhere",
             .choices = {"exact", "tf32", "3xtf32", "bf16x3"}},
            run, &RunOptions::products),
      bound({.path = "run.derivatives",
             .says = fmt::format(
                 "how derivatives of the network are taken; `stochastic`: as `taylor`, but in "
                 "training Laplacians along directions that are drawn for each step ({})",
                 fmt::join(kinds_with_a_rate(), ", ")),
             .choices = {"auto", "taylor", "reverse", "stochastic"}},
            run, &RunOptions::derivatives),
      later_key(
          bound({.path = "run.directions",
                 .says = "with `stochastic`: how many of the coordinates in space a Laplacian "
                         "is estimated along",
                 .range = between(1, max_coordinates)},
                run, &RunOptions::directions)),
  };
}

/// When it saves, and when it ends.
std::vector<Key> ending_keys() {
  return {
      bound({.path = "run.checkpoint.every",
             .says = "steps between checkpoints; 0: by minutes only",
             .range = between(0, many)},
            checkpoint, &CheckpointOptions::every),
      bound({.path = "run.checkpoint.minutes",
             .says = "minutes between checkpoints; 0: by steps only",
             .range = at_least(0)},
            checkpoint, &CheckpointOptions::minutes),
      {.path = "run.max_time",
       .says = "`\"2h30m\"` or seconds, then checkpoint and stop; 0: no limit",
       .syntax = syntax::duration,
       .range = at_least(0),
       .set = set_max_time,
       .get = [](const Draft& d, std::size_t) { return to_toml(d.run.options.max_time); }},
      bound({.path = "run.stop_below",
             .says = "end when the total loss is below, by the weights in force; 0: never",
             .range = at_least(0)},
            run, &RunOptions::stop_below),
      bound({.path = "run.patience",
             .says = "end after so many steps without a better held-out residual; 0: never",
             .range = between(0, many)},
            run, &RunOptions::patience),
      later_key(bound({.path = "run.gain.factor",
                       .says = "end a stage when the held-out residual fell by less than this "
                               "factor in `steps`; 0: never",
                       .range = at_least(0)},
                      gain, &GainOptions::factor)),
      later_key(bound({.path = "run.gain.steps",
                       .says = "steps of the stage over which it has to fall so far",
                       .range = between(10, many)},
                      gain, &GainOptions::steps)),
      {.path = "run.auto",
       .says = "version of the policy that chooses what a file without `[[stage]]` lacks; see "
               "docs/auto.md",
       .syntax = syntax::integer,
       .fallback = "the newest",
       .range = between(1, 1)},
  };
}

}  // namespace

std::vector<Key> run_keys() { return joined({computing_keys(), ending_keys()}); }

/// They are read together: read_windows.cpp.
std::vector<Key> window_keys() {
  return {
      {.path = "windows.count",
       .says = "how many, of one length",
       .syntax = syntax::integer,
       .fallback = "1",
       .range = between(1, 10'000),
       .came_later = true,
       .get = [](const Draft& d,
                 std::size_t) { return std::to_string(d.run.windows.edges.size() + 1); }},
      {.path = "windows.length",
       .says = "or the length of each, in time; what is left is the last",
       .syntax = syntax::constant,
       .fallback = "none"},
      bound({.path = "windows.carry",
             .says = "parameters start from the best of the window before; or else from the seed, "
                     "but for unknowns",
             .came_later = true},
            windows, &WindowOptions::carry),
  };
}

}  // namespace pinn::config
