#include <fmt/format.h>

#include <algorithm>

#include "configs/draft.h"
#include "solvers/optimize/kinds.h"
#include "solvers/points/adaptive_points.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/rewritten.h"
#include "solvers/state/choices.h"
#include "solvers/train/adapt/reweigh.h"
#include "solvers/train/adapt/weights.h"
#include "solvers/train/plan.h"
#include "solvers/train/trained_part.h"

namespace pinn::config {
namespace {

/// Adaptive points of one requirement in a stage whose `sampling` is at a node.
void check_points(Draft& draft, const Item& item, const AdaptiveOptions& adaptive,
                  const Node& sampling) {
  const SamplingOptions& points = draft.run.sampling[item.index];
  const std::string& name = draft.run.problem.requirements[item.index].name;
  if (points.method == "grid")
    draft.findings.add(
        Mistake::adaptive_grid, sampling,
        fmt::format("the points of '{}' are a grid, of which none can be chosen", name),
        "give it another method, or points = { adaptive = false }");
  if (points.density || points.given)
    draft.findings.add(
        Mistake::adaptive_given, sampling,
        fmt::format("the points of '{}' are {}: none can be chosen by the residual", name,
                    points.given ? "those of a file" : "drawn by a density of their own"),
        "add adaptive = false to them, or leave that out");
  if (points.count > adaptive.candidates)
    draft.findings.add(Mistake::few_candidates, sampling,
                       fmt::format("the {} points of '{}' cannot be chosen among {} candidates",
                                   points.count, name, adaptive.candidates),
                       "write candidates = N with several times as many");
}

void check_sampling(Draft& draft, const Item& stage) {
  const Node* sampling = stage.node->at("sampling");
  const AdaptiveOptions& adaptive = draft.run.stages[stage.index].sampling;
  if (!sampling || adaptive.kind.empty()) return;
  bool some = false;
  for (const Item& item : draft.requirements) {
    if (!are_adaptive(draft.run, draft.run.stages[stage.index], item.index)) continue;
    check_points(draft, item, adaptive, *sampling);
    some = true;
  }
  if (!some)
    draft.findings.add(Mistake::nothing_adaptive, *sampling,
                       "there are no points that sampling could choose",
                       "leave it out: data, single points and points = { adaptive = false } "
                       "stay as they are");
}

/// Weights that are changed need terms, points or times that differ, and points need to stay.
void check_weights(Draft& draft, const Item& item) {
  const Run& run = draft.run;
  const Stage& stage = run.stages[item.index];
  const auto refuse_unless = [&](bool good, const char* key, const char* what, const char* fix) {
    const Node* table = item.node->at(key);
    if (!good && table) draft.findings.add(Mistake::nothing_to_weigh, *table, what, fix);
  };
  bool points = false, times = false;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    Stage one = stage;
    one.causal.chunks = 0;
    points = points || weighs_points(run, one, r);
    one = stage;
    one.pointwise.kind.clear();
    times = times || weighs_points(run, one, r);
  }
  refuse_unless(weighed_terms(run).size() > 1, "weighting",
                "there are no two loss terms that could be weighed against each other",
                "leave it out: what says adapt = false, and what has the weight 0, stays as it is");
  refuse_unless(points || stage.pointwise.kind.empty(), "pointwise",
                "there are no points that could be weighed",
                "leave it out: data and what says adapt = false stay as they are");
  refuse_unless(times, "causal", "there is no equation in which later times could wait",
                "leave it out, or give a coordinate the role \"time\"");
  for (const char* key : {"pointwise", "causal"})
    if (const Node* table = item.node->at(key); table && stage.batch > 0)
      draft.findings.add(Mistake::weights_of_batches, *table,
                         fmt::format("{} weighs all points of a requirement by one another, and a "
                                     "batch has but some",
                                     key),
                         "leave out either this or batch");
}

/// A line search needs the loss to be one function, and directions make it another at each step.
void check_directions(Draft& draft, const Item& item) {
  const Stage& stage = draft.run.stages[item.index];
  const Node* optimizer = item.node->at("optimizer");
  const auto& kinds = optimizer_kinds();
  const bool known = std::find(kinds.begin(), kinds.end(), stage.optimizer.kind) != kinds.end();
  if (directions_of(draft.run) == 0 || !known || optimizer_kind(stage.optimizer.kind).has_rate)
    return;
  draft.findings.add(
      Mistake::drawn_directions, optimizer ? *optimizer : *item.node,
      fmt::format("{} compares the loss at several places, and with derivatives = \"stochastic\" "
                  "every step has a loss of its own",
                  stage.optimizer.kind),
      fmt::format("use one of {}, or derivatives = \"taylor\": the exact Laplacian of d "
                  "coordinates takes d + 2 channels",
                  fmt::join(kinds_with_a_rate(), ", ")));
}

/// Sets the defaults of absent keys, by the kind that is chosen and the optimizer.
void set_defaults(const Item& item, Stage& stage) {
  const bool says_causal = item.node->at("causal") != nullptr;
  const auto absent = [&](const char* key) { return item.node->at(key) == nullptr; };
  const auto& kinds = optimizer_kinds();
  const bool known = std::find(kinds.begin(), kinds.end(), stage.optimizer.kind) != kinds.end();
  const long least = !known || optimizer_kind(stage.optimizer.kind).has_rate ? 1 : 100;
  if (absent("weighting.every"))
    stage.weighting.every = std::max(least, default_every(stage.weighting.kind));
  if (absent("weighting.memory")) stage.weighting.memory = default_memory(stage.weighting.kind);
  if (absent("pointwise.every")) stage.pointwise.every = least;
  if (absent("pointwise.rate")) stage.pointwise.rate = default_rate(stage.pointwise.kind);
  if (absent("causal.every")) stage.causal.every = least;
  if (absent("causal.chunks") && says_causal) stage.causal.chunks = 32;
}

/// The entry of a table of ramps; nothing, with a report, where there is no such constant.
void read_ramp(Draft& draft, const Entry& entry, Stage& stage) {
  std::vector<std::string> names;
  for (const Constant& c : draft.run.problem.constants) names.push_back(c.name);
  const Node *from = entry.value.at("from"), *levels = entry.value.at("levels");
  const auto& pieces = draft.run.problem.pieces;
  if (pieces && std::ranges::count(pieces->open_names({}), entry.key) > 0)
    return draft.findings.add(
        Mistake::ramp_by_region, entry,
        fmt::format("{} has a value for each of {}, and a ramp is of one", pinn::quoted(entry.key),
                    pieces->regions_text(pieces->partitions_of(entry.key))),
        "ramp a constant that these values are made of");
  if (std::ranges::find(names, entry.key) == names.end())
    return draft.findings.add(
        Mistake::no_such_constant, entry,
        fmt::format("there is no constant {} to ramp", pinn::quoted(entry.key)),
        suggestion(entry.key, names));
  if (!from) return;
  Ramp ramp{.constant = entry.key, .from = from->real};
  if (levels) ramp.levels = int(levels->whole);
  const bool sound = reading(draft, *from, Mistake::ramp_start, [&] {
    if (from->kind == Node::string) ramp.from = parse_constant(text(*from), draft.run.problem);
    with_constants(draft.run.problem, {{ramp.constant, ramp.from}});
  });
  if (sound) stage.ramp.push_back(std::move(ramp));
}

void check_trained(Draft& draft, const Item& item) {
  const std::vector<std::string> known = trainable_names(draft.run.problem, draft.run.networks);
  const Node* train = item.node->at("train");
  if (!train) return;
  const auto check = [&](const Node& name) {
    if (std::ranges::find(known, name.text) == known.end())
      draft.findings.add(
          Mistake::nothing_to_train, name,
          fmt::format("there is nothing called {} to train", pinn::quoted(name.text)),
          suggestion(name.text, known));
  };
  if (train->kind == Node::string) check(*train);
  for (const Node& name : train->items) check(name);
}

}  // namespace

void read_adaptive_stages(Draft& draft) {
  for (const Item& item : draft.stages) set_defaults(item, draft.run.stages[item.index]);
  for (const Requirement& r : draft.run.problem.requirements)
    if (!r.data && !r.region) return;  // it could not be read
  for (const Item& item : draft.stages) {
    check_sampling(draft, item);
    check_weights(draft, item);
    check_directions(draft, item);
    check_trained(draft, item);
    if (const Node* ramps = item.node->at("ramp"))
      for (const Entry& entry : ramps->entries)
        read_ramp(draft, entry, draft.run.stages[item.index]);
  }
}

}  // namespace pinn::config
