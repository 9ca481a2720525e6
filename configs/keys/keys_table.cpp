// The table of keys: every key of the format, once. Those of the problem stand in keys_problem.cpp,
// of requirements and their points in keys_asked.cpp, of what a stage adapts in keys_adaptive.cpp,
// of what comes out in keys_result.cpp.
#include "configs/keys/bind.h"
#include "models/kinds.h"
#include "models/parts/activation.h"
#include "models/parts/initialization.h"
#include "solvers/optimize/kinds.h"

namespace pinn::config {
namespace {

using Strings = std::vector<std::string>;

OptimizerOptions& optimizer(Draft& d, std::size_t i) { return stage(d, i).optimizer; }
ScheduleOptions& schedule(Draft& d, std::size_t i) { return optimizer(d, i).schedule; }
NetworkOptions& network(Draft& d, std::size_t k) { return d.run.networks.at(k); }
FourierOptions& fourier(Draft& d, std::size_t k) { return network(d, k).fourier; }
WindowOptions& windows(Draft& d, std::size_t) { return d.run.windows; }
CheckpointOptions& checkpoint(Draft& d, std::size_t) { return d.run.options.checkpoint; }
GainOptions& gain(Draft& d, std::size_t) { return d.run.options.gain; }

const Strings precisions = {"float64", "float32"};
const Strings first_order = kinds_with_a_rate();
const Strings limited = kinds_with_a_limit();
const Strings decaying = {"exponential", "inverse_time", "step"};

Strings kinds_and_auto() {
  Strings kinds = optimizer_kinds();
  kinds.push_back("auto");
  return kinds;
}

/// A key that runs of older programs lack.
Key later_key(Key key) {
  key.came_later = true;
  return key;
}

/// Each kind of network in a few words.
std::string kinds_text() {
  std::string text;
  for (const NetworkKind* kind : kinds::all_networks)
    text += fmt::format("{}`{}`: {}", text.empty() ? "" : "; ", kind->name, kind->says);
  return text;
}

/// An option that some kinds of networks have.
Key own_key(const NetworkOption& option) {
  const std::string name = option.name;
  return later_key({.path = "network." + name,
                    .says = option.says,
                    .syntax = syntax::integer,
                    .range = between(double(option.least), double(option.most)),
                    .chooser = "kind",
                    .set = [name](Draft& d, std::size_t k,
                                  const Node& value) { network(d, k).own[name] = value.whole; },
                    .get =
                        [name, usual = option.fallback](const Draft& d, std::size_t k) {
                          const auto& own = d.run.networks.at(k).own;
                          const auto found = own.find(name);
                          return std::to_string(found == own.end() ? usual : found->second);
                        }});
}

std::vector<Key> own_keys() {
  std::vector<Key> keys;
  for (const NetworkKind* kind : kinds::all_networks)
    for (const NetworkOption& option : kind->options) {
      auto key = std::ranges::find(keys, "network." + std::string(option.name), &Key::path);
      if (key == keys.end()) key = keys.insert(key, own_key(option));
      key->only.emplace_back(kind->name);
    }
  return keys;
}

std::vector<Key> network_keys() {
  return {
      later_key(bound({.path = "network.name",
                       .says = "for fields that name their network, where there are several "
                               "[[network]]; in checkpoints its parameters are `NAME.W0`, ...",
                       .fallback = "none"},
                      network, &NetworkOptions::name)),
      bound({.path = "network.kind", .says = kinds_text(), .choices = network_kind_names()},
            network, &NetworkOptions::kind),
      bound({.path = "network.layers",
             .says = "widths of the hidden layers",
             .range = between(1, 65536)},
            network, &NetworkOptions::layers),
      bound({.path = "network.activation",
             .says = "one, or one per hidden layer",
             .choices = activation_names()},
            network, &NetworkOptions::activation),
      bound({.path = "network.initialization",
             .says = "of the weights; biases start at zero",
             .choices = initialization_names()},
            network, &NetworkOptions::initialization),
      {.path = "network.frequency",
       .says =
           "`{ t = 8 }`: first-layer weights of that input times 8, biases spread over a period",
       .syntax = syntax::number_table,
       .fallback = "1.0 for each coordinate",
       .range = above(0)},
      {.path = "network.periodic",
       .says = "`[\"x\"]`: exactly periodic in x, by embedding; those faces leave `boundary`",
       .syntax = syntax::names_or_none,
       .fallback = "none"},
      {.path = "network.hard",
       .says = "`\"auto\"`, or names of conditions: their values on whole faces and surfaces "
               "become part of the fields' form, and periodic ones an embedding; `[]`: none, also "
               "where the program chooses; see docs/auto.md",
       .syntax = syntax::names_or_none,
       .fallback = "none"},
      bound({.path = "network.fourier.features",
             .says = "random cosine and sine pairs per scale; 0: none",
             .range = between(0, 65536)},
            fourier, &FourierOptions::features),
      bound({.path = "network.fourier.scale",
             .says = "deviation of the frequencies: one, or several for multi-scale features",
             .fallback = "1.0",
             .range = above(0)},
            fourier, &FourierOptions::scale),
      bound(
          {.path = "network.fourier.center",
           .says = "what the frequencies of a scale lie around along every coordinate, in radians "
                   "over half of the interval: one per scale",
           .fallback = "0.0 for each scale",
           .range = at_least(0)},
          fourier, &FourierOptions::center),
      bound({.path = "network.fourier.seed",
             .says = "of the frequencies",
             .fallback = "`run.seed`",
             .range = at_least(0)},
            fourier, &FourierOptions::seed),
      {.path = "network.output.*",
       .says = "a hard constraint per field, `u = \"-sin(pi*x) + t*(1 - x^2)*N\"`; N is the raw "
               "output, "
               "`initial(u)` and `initial(t)` are u and t where a window begins",
       .syntax = syntax::string},
  };
}

std::vector<Key> stage_keys() {
  const auto of_stage = [](Key key, Strings only) {
    key.path = "stage.#." + key.path;
    if (!only.empty()) key.chooser = "optimizer";
    key.only = std::move(only);
    return key;
  };
  const auto option = [&](Key key, auto member, Strings only = {}) {
    return bound(of_stage(std::move(key), std::move(only)), optimizer, member);
  };
  const auto schedule_option = [](Key key, auto member, Strings only = {}) {
    key.path = "stage.#.schedule." + key.path;
    key.chooser = only.empty() ? "optimizer" : "schedule.kind";
    key.only = only.empty() ? first_order : std::move(only);
    return bound(std::move(key), schedule, member);
  };
  using O = OptimizerOptions;
  using S = ScheduleOptions;
  return {
      bound({.path = "stage.#.name", .says = "for messages and `--set`", .fallback = "its number"},
            stage, &Stage::name),
      option({.path = "optimizer",
              .says = "stages run in order, each with its own; auto: chosen, docs/auto.md",
              .choices = kinds_and_auto()},
             &O::kind),
      option({.path = "steps", .says = "moves of this stage", .range = between(0, many)},
             &O::steps),
      option({.path = "rate", .says = "the step size, which `schedule` scales", .range = above(0)},
             &O::rate, first_order),
      schedule_option({.path = "kind", .says = "how the rate changes", .choices = schedule_kinds()},
                      &S::kind),
      schedule_option({.path = "warm_up",
                       .says = "steps of linear growth from 0 at the start",
                       .range = between(0, many)},
                      &S::warm_up),
      schedule_option({.path = "decay",
                       .says = "exponential, step: factor; inverse_time: strength",
                       .range = above(0)},
                      &S::decay, decaying),
      schedule_option({.path = "every", .says = "steps per decay", .range = between(1, many)},
                      &S::every, decaying),
      schedule_option(
          {.path = "final", .says = "fraction of the rate left at the end", .range = between(0, 1)},
          &S::final, {"cosine"}),
      option({.path = "beta1", .says = "decay of the mean of the gradient", .range = share()},
             &O::beta1, {"adam", "adamw", "soap", "muon"}),
      option({.path = "beta2", .says = "decay of the mean of its square", .range = share()},
             &O::beta2, {"adam", "adamw", "soap", "muon"}),
      option({.path = "epsilon", .says = "added to the root of that mean", .range = above(0)},
             &O::epsilon, {"adam", "adamw", "soap", "muon"}),
      option({.path = "weight_decay",
              .says = "adamw, soap, muon: decoupled; sgd: as an L2 term",
              .range = at_least(0)},
             &O::weight_decay, {"adamw", "sgd", "soap", "muon"}),
      option({.path = "momentum", .says = "share of the last move that goes on", .range = share()},
             &O::momentum, {"sgd", "natural_gradient"}),
      option({.path = "clip", .says = "largest norm of the gradient; 0: any", .range = at_least(0)},
             &O::clip, first_order),
      option({.path = "history", .says = "pairs kept", .range = between(1, 10000)}, &O::history,
             {"lbfgs"}),
      option({.path = "tolerance",
              .says = "stop when no component of the gradient is larger",
              .range = at_least(0)},
             &O::tolerance),
      later_key(option({.path = "damping",
                        .says = "of second-order methods, at first or always; 0: its own",
                        .range = at_least(0)},
                       &O::damping,
                       {"levenberg_marquardt", "sketched_gauss_newton", "natural_gradient", "kfac",
                        "nystrom_newton_cg"})),
      later_key(option({.path = "geodesic",
                        .says = "whether steps are bent along the path: one residual more each"},
                       &O::geodesic, {"levenberg_marquardt"})),
      later_key(
          option({.path = "corrections",
                  .says = "of a step, at most, as long as the loss does not fall as predicted",
                  .range = between(0, 1000)},
                 &O::corrections, {"levenberg_marquardt"})),
      later_key(option({.path = "sketch",
                        .says = "columns of the sketch of J; 0: a third of the parameters",
                        .range = between(0, 100'000)},
                       &O::sketch, {"sketched_gauss_newton"})),
      later_key(option({.path = "rank",
                        .says = "of what is learned of the matrix; 0: its own",
                        .range = between(0, 100'000)},
                       &O::rank, {"natural_gradient", "nystrom_newton_cg"})),
      later_key(option({.path = "refresh",
                        .says = "steps between decompositions; 0: its own",
                        .range = between(0, 1e9)},
                       &O::refresh, {"soap", "kfac", "nystrom_newton_cg"})),
      later_key(option({.path = "curvature",
                        .says = "number type of the inverse Hessian",
                        .choices = precisions},
                       &O::curvature, {"ssbroyden"})),
      later_key(option(
          {.path = "memory", .says = "the most bytes that the method may need", .range = above(0)},
          &O::memory, limited)),
      bound({.path = "stage.#.precision",
             .says = "what a step computes in",
             .fallback = "`run.precision`",
             .choices = precisions},
            stage, &Stage::precision),
      bound(of_stage({.path = "batch",
                      .says = "most points of a requirement in one step, all in turn; 0: all",
                      .range = between(0, many)},
                     first_order),
            stage, &Stage::batch),
  };
}

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

std::vector<Key> run_keys() {
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
                 fmt::join(first_order, ", ")),
             .choices = {"auto", "taylor", "reverse", "stochastic"}},
            run, &RunOptions::derivatives),
      later_key(
          bound({.path = "run.directions",
                 .says = "with `stochastic`: how many of the coordinates in space a Laplacian "
                         "is estimated along",
                 .range = between(1, max_coordinates)},
                run, &RunOptions::directions)),
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

void append(std::vector<Key>& to, std::vector<Key> keys) {
  for (Key& key : keys) to.push_back(std::move(key));
}

std::vector<Key> all_keys() {
  std::vector<Key> all = {{.path = "format",
                           .says = "version of this format",
                           .syntax = syntax::integer,
                           .range = between(1, 1),
                           .get = [](const Draft&, std::size_t) { return std::string("1"); }}};
  append(all, problem_keys());
  append(all, requirement_keys("equation.#", true));
  append(all, requirement_keys("condition.#", true));
  append(all, condition_keys());
  append(all, requirement_keys("data.#", false));
  append(all, data_keys());
  append(all, sampling_keys());
  append(all, network_keys());
  append(all, own_keys());
  append(all, stage_keys());
  append(all, adaptive_keys());
  append(all, run_keys());
  append(all, result_keys());
  append(all, window_keys());
  return all;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = all_keys();
  return table;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> table = {
      {"", "", "At the top of the file."},
      {"problem", "[problem]", "Every name a residual may use."},
      {"equation.#", "[[equation]]", "Residuals that vanish in the interior."},
      {"condition.#", "[[condition]]",
       "Residuals that vanish on faces, edges, corners and inner planes."},
      {"data.#", "[[data]]", "Residuals that vanish at measured points."},
      {"sampling", "[sampling]", "Defaults for `points`."},
      {"network", "[network]",
       "The function that is trained; several are [[network]], each with a `name` for the fields "
       "that come from it."},
      {"stage.#", "[[stage]]", "One optimizer's turn; stages run in order."},
      {"windows", "[windows]", "Time in slices, which all stages train one after the other."},
      {"run", "[run]", "How the run goes."},
      {"memory", "[memory]", "What is kept for the backward pass."},
      {"output", "[output]", "What is written into fields.h5, and where."},
      {"reference", "[reference]",
       "What the result is compared with. The best model is never chosen by it."},
  };
  return table;
}

}  // namespace pinn::config
