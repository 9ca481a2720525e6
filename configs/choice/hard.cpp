// Choices by `[network] hard`: transforms of the output and periodic embeddings.
#include <fmt/format.h>

#include <algorithm>

#include "configs/choice.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/parse.h"
#include "solvers/state/windows.h"

namespace pinn::config {
namespace {

bool is_among(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The requirements that the key names; all where it says "auto". Others are reported.
std::vector<std::string> requirements_named(Draft& draft, const Node& hard) {
  std::vector<std::string> known = draft.exact, named;
  for (const Requirement& r : draft.run.problem.requirements)
    if (r.kind == Requirement::Kind::condition) known.push_back(r.name);
  const auto add = [&](const Node& name) {
    if (!is_among(known, name.text))
      draft.findings.add(Mistake::hard_name, name,
                         fmt::format("{} is not a condition", pinn::quoted(name.text)),
                         suggestion(name.text, known));
    named.push_back(name.text);
  };
  if (hard.kind == Node::string && hard.text != "auto") add(hard);
  for (const Node& item : hard.items) add(item);
  return named;
}

/// A condition that was asked for by name and stays soft is a mistake.
void refuse_soft(Draft& draft, const Node& hard, const HardConditions& found) {
  for (const Soft& soft : found.soft)
    draft.findings.add(Mistake::soft_condition, hard,
                       fmt::format("'{}' cannot be exact: {}", soft.name, soft.why),
                       "leave it out of the list: it stays in the loss; or write hard = \"auto\"");
}

std::string periodic_text(const Problem& problem, const HardConditions& found) {
  std::string names;
  for (std::size_t c = 0; c < found.periodic.size(); ++c)
    if (found.periodic[c] || problem.periodic[c])
      names += (names.empty() ? "" : ", ") + to_toml(std::string_view(problem.coordinates[c].name));
  return names.empty() ? "" : "periodic = [" + names + "]\n";
}

std::string output_text(const Problem& problem, const HardConditions& found) {
  std::string text;
  const Scope scope{problem, Scope::Use::output};
  for (std::size_t f = 0; f < found.outputs.size(); ++f)
    if (found.outputs[f])
      text += fmt::format("{} = {}\n", key_to_toml(problem.fields[f].name),
                          to_toml(print(*found.outputs[f], scope)));
  return text.empty() ? "" : "\n[network.output]\n" + text;
}

std::string comments(const HardConditions& found) {
  std::string text;
  for (const std::string& name : found.exact)
    text += fmt::format("# {}: exact by the network's form, and out of the loss\n", name);
  for (const Soft& soft : found.soft)
    text += fmt::format("# {}: stays in the loss, for {}\n", soft.name, soft.why);
  return text;
}

}  // namespace

HardChoice hard_choice(Draft& draft, const Node& hard, const std::string& layer) {
  const bool automatic = hard.kind == Node::string && hard.text == "auto";
  const std::vector<std::string> names = requirements_named(draft, hard);
  std::vector<std::string> left;  // what is exact by the file's own form is done
  for (const std::string& name : names)
    if (!is_among(draft.exact, name)) left.push_back(name);
  const bool nothing = !automatic && left.empty();
  HardChoice choice;
  if (!draft.findings.all.empty() || nothing) return choice;
  const Problem& problem = draft.run.problem;
  choice.found = hard_conditions(problem, left, !draft.run.windows.edges.empty(), layer);
  if (!automatic) refuse_soft(draft, hard, choice.found);
  choice.comments = comments(choice.found);
  choice.network = periodic_text(problem, choice.found);
  choice.output = output_text(problem, choice.found);
  return choice;
}

void drop_exact(Draft& draft) {
  if (!draft.findings.all.empty()) return;
  if (draft.asked.empty()) draft.asked = requirement_values(draft);
  Problem& problem = draft.run.problem;
  const std::vector<std::string> exact = exact_residuals(problem);
  std::vector<Requirement> kept;
  std::vector<SamplingOptions> sampling;
  std::vector<Item> items;
  for (Item& item : draft.requirements) {
    Requirement& r = problem.requirements[item.index];
    const bool condition = r.kind == Requirement::Kind::condition;
    bool gone = condition && r.periodic && problem.periodic[std::size_t(r.periodic->coordinate)];
    const bool handed_over = !draft.run.windows.edges.empty() && is_initial(r, problem);
    if (condition && !r.periodic && !handed_over) {
      std::erase_if(r.residuals, [&](const Residual& one) { return is_among(exact, one.name); });
      gone = r.residuals.empty();
    }
    if (gone) {
      draft.exact.push_back(r.name);
      continue;
    }
    sampling.push_back(draft.run.sampling[item.index]);
    item.index = kept.size();
    kept.push_back(std::move(r));
    items.push_back(std::move(item));
  }
  draft.requirements = std::move(items);
  draft.run.sampling = std::move(sampling);
  problem.requirements = std::move(kept);
}

}  // namespace pinn::config
