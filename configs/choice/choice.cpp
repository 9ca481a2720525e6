#include "configs/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "configs/choice/course.h"
#include "configs/reading/pieces.h"

namespace pinn::config {
namespace {

bool has_stages(const Node& tree) {
  const Node* stages = tree.find("stage");
  return stages && !(stages->kind == Node::array && stages->items.empty());
}

bool has_automatic_stage(const Node& tree) {
  const Node* stages = tree.at("stage");
  return stages && std::any_of(stages->items.begin(), stages->items.end(), is_automatic);
}

/// The draft as it is once the form of the fields is what was chosen.
Draft formed(const Draft& draft, const HardChoice& form) {
  Draft after = draft;
  Problem& problem = after.run.problem;
  for (std::size_t f = 0; f < form.found.outputs.size(); ++f)
    if (form.found.outputs[f]) problem.outputs[f] = form.found.outputs[f];
  for (std::size_t c = 0; c < form.found.periodic.size(); ++c)
    if (form.found.periodic[c]) {
      problem.periodic[c] = true;
      for (NetworkOptions& network : after.run.networks) network.periodic[c] = true;
    }
  drop_exact(after);
  return after;
}

/// Why no form should carry the start of time on; empty where one may.
std::string layer_of(const Draft& draft) {
  const double rate = sizes_of(draft.run.problem).layer;
  return rate > 0 ? fmt::format(
                        "the equations change it within 1/{:.0f} of time, a "
                        "layer that its form would carry on",
                        2 * rate)
                  : "";
}

}  // namespace

bool leaves_a_choice(const Node& tree) {
  return networks_say(tree, "hard") || !has_stages(tree) || has_automatic_stage(tree);
}

std::string choice(Draft& draft, Warnings& warnings) {
  const bool whole = !has_stages(draft.tree);
  Node automatic;
  automatic.kind = Node::string;
  automatic.text = "auto";
  if (whole)
    if (const std::string along = course_choice(draft); !along.empty()) return along;
  std::vector<const Node*> hard;
  for (std::size_t k = 0; k < network_count(draft); ++k) {
    const Node* table = network_table(draft, k);
    const Node* said = table ? table->at("hard") : nullptr;
    hard.push_back(said ? said : whole ? &automatic : nullptr);
  }
  HardChoice form = hard_choice(draft, hard);
  if (std::ranges::count(hard, &automatic) > 0 && draft.findings.all.empty())
    if (const std::string layer = layer_of(formed(draft, form)); !layer.empty())
      form = hard_choice(draft, hard, layer);
  if (!draft.findings.all.empty()) return {};
  const PolicyChoice rest =
      whole ? policy_choice(formed(draft, form), form.found.soft) : PolicyChoice{};
  warnings.insert(warnings.end(), rest.warnings.begin(), rest.warnings.end());
  for (std::size_t k = 0; k < hard.size(); ++k) {
    std::string& keys = form.networks[k].keys;
    keys =
        (hard[k] == &automatic ? "hard = \"auto\"\n" : "") + (whole ? rest.networks[k] : "") + keys;
  }
  return form.comments + network_tables(draft, form.networks) + rest.rest +
         (whole ? "" : stages_choice(formed(draft, form)));
}

}  // namespace pinn::config
