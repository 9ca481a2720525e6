#include <fmt/format.h>

#include "configs/draft.h"
#include "solvers/train/adapt/adaptive_points.h"

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
  if (points.count > adaptive.candidates)
    draft.findings.add(Mistake::few_candidates, sampling,
                       fmt::format("the {} points of '{}' cannot be chosen among {} candidates",
                                   points.count, name, adaptive.candidates),
                       "write candidates = N with several times as many");
}

}  // namespace

void check_stages(Draft& draft) {
  for (const Item& stage : draft.stages) {
    const Node* sampling = stage.node->at("sampling");
    const AdaptiveOptions& adaptive = draft.run.stages[stage.index].sampling;
    if (!sampling || adaptive.kind.empty()) continue;
    bool some = false;
    for (const Item& item : draft.requirements) {
      const Requirement& r = draft.run.problem.requirements[item.index];
      if (!r.data && !r.region) return;  // it could not be read
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
}

}  // namespace pinn::config
