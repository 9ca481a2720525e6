// The table of keys: stages, and the options of optimizers, whose kinds say which they read.
#include "configs/keys/bind.h"
#include "solvers/optimize/kinds.h"

namespace pinn::config {
namespace {

using Strings = std::vector<std::string>;
using O = OptimizerOptions;

OptimizerOptions& optimizer(Draft& d, std::size_t i) { return stage(d, i).optimizer; }
ScheduleOptions& schedule(Draft& d, std::size_t i) { return optimizer(d, i).schedule; }

const Strings first_order = kinds_with_a_rate();
const Strings decaying = {"exponential", "inverse_time", "step"};

Strings kinds_and_auto() {
  Strings kinds = optimizer_kinds();
  kinds.push_back("auto");
  return kinds;
}

Key of_stage(Key key, Strings only = {}) {
  key.path = "stage.#." + key.path;
  if (!only.empty()) key.chooser = "optimizer";
  key.only = std::move(only);
  return key;
}

/// An option of optimizers, of some kinds alone.
template <class Member> Key option(Key key, Member member, Strings only = {}) {
  return bound(of_stage(std::move(key), std::move(only)), optimizer, member);
}

/// An option that the kinds read which say so.
template <class Member> Key read_option(Key key, Member member) {
  const Strings only = kinds_that_read(key.path);
  return option(std::move(key), member, only);
}

/// An option of schedules, of some kinds of schedule alone.
template <class Member> Key schedule_option(Key key, Member member, Strings only = {}) {
  key.path = "stage.#.schedule." + key.path;
  key.chooser = only.empty() ? "optimizer" : "schedule.kind";
  key.only = only.empty() ? first_order : std::move(only);
  return bound(std::move(key), schedule, member);
}

std::vector<Key> general_keys() {
  return {
      bound({.path = "stage.#.name", .says = "for messages and `--set`", .fallback = "its number"},
            stage, &Stage::name),
      option({.path = "optimizer",
              .says = "stages run in order, each with its own; auto: chosen, docs/auto.md",
              .choices = kinds_and_auto()},
             &O::kind),
      option({.path = "steps", .says = "moves of this stage", .range = between(0, many)},
             &O::steps),
      bound(of_stage({.path = "average",
                      .says = "share of what was before, per step, in a mean of the parameters "
                              "that is judged, too; 0: none",
                      .range = share()}),
            stage, &Stage::average),
  };
}

std::vector<Key> rate_keys() {
  using S = ScheduleOptions;
  return {
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
  };
}

std::vector<Key> first_order_keys() {
  return {
      read_option({.path = "beta1", .says = "decay of the mean of the gradient", .range = share()},
                  &O::beta1),
      read_option({.path = "beta2", .says = "decay of the mean of its square", .range = share()},
                  &O::beta2),
      read_option({.path = "epsilon", .says = "added to the root of that mean", .range = above(0)},
                  &O::epsilon),
      read_option({.path = "weight_decay",
                   .says = "adamw, soap, muon: decoupled; sgd: as an L2 term",
                   .range = at_least(0)},
                  &O::weight_decay),
      read_option(
          {.path = "momentum", .says = "share of the last move that goes on", .range = share()},
          &O::momentum),
      option({.path = "clip", .says = "largest norm of the gradient; 0: any", .range = at_least(0)},
             &O::clip, first_order),
      read_option({.path = "history", .says = "pairs kept", .range = between(1, 10000)},
                  &O::history),
      option({.path = "tolerance",
              .says = "stop when no component of the gradient is larger",
              .range = at_least(0)},
             &O::tolerance),
  };
}

std::vector<Key> second_order_keys() {
  return {
      later_key(read_option({.path = "damping",
                             .says = "of second-order methods, at first or always; 0: its own",
                             .range = at_least(0)},
                            &O::damping)),
      later_key(
          read_option({.path = "geodesic",
                       .says = "whether steps are bent along the path: one residual more each"},
                      &O::geodesic)),
      later_key(
          read_option({.path = "corrections",
                       .says = "of a step, at most, as long as the loss does not fall as predicted",
                       .range = between(0, 1000)},
                      &O::corrections)),
      later_key(read_option({.path = "sketch",
                             .says = "columns of the sketch of J; 0: a third of the parameters",
                             .range = between(0, 100'000)},
                            &O::sketch)),
      later_key(read_option({.path = "rank",
                             .says = "of what is learned of the matrix; 0: its own",
                             .range = between(0, 100'000)},
                            &O::rank)),
      later_key(read_option({.path = "refresh",
                             .says = "steps between decompositions; 0: its own",
                             .range = between(0, 1e9)},
                            &O::refresh)),
      later_key(read_option({.path = "curvature",
                             .says = "number type of the inverse Hessian",
                             .choices = precisions},
                            &O::curvature)),
      later_key(option(
          {.path = "memory", .says = "the most bytes that the method may need", .range = above(0)},
          &O::memory, kinds_with_a_limit())),
  };
}

std::vector<Key> step_keys() {
  return {
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

}  // namespace

std::vector<Key> stage_keys() {
  return joined(
      {general_keys(), rate_keys(), first_order_keys(), second_order_keys(), step_keys()});
}

}  // namespace pinn::config
