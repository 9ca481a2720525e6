// Choices by `[network] hard`: transforms of the output and periodic embeddings.
#include <fmt/format.h>

#include <algorithm>

#include "configs/choice.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/state/windows.h"

namespace pinn::config {
namespace {

bool is_among(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool asks_of(const Requirement& r, const Problem& problem, std::size_t network) {
  return std::ranges::any_of(needs(r, problem), [&](const Need& need) {
    return problem.fields[std::size_t(need.field)].network == int(network);
  });
}

/// The requirements that the key of network k names; all where it says "auto". Others are reported.
std::vector<std::string> requirements_named(Draft& draft, const Node& hard, std::size_t k) {
  const Problem& problem = draft.run.problem;
  std::vector<std::string> known = draft.exact, named;
  for (const Requirement& r : problem.requirements)
    if (r.kind == Requirement::Kind::condition && asks_of(r, problem, k)) known.push_back(r.name);
  const auto add = [&](const Node& name) {
    if (!is_among(known, name.text))
      draft.findings.add(Mistake::hard_name, name,
                         fmt::format("{} is not a condition{}", pinn::quoted(name.text),
                                     draft.run.networks.size() > 1 ? " of this network" : ""),
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

std::string output_text(const Problem& problem, const HardConditions& found, std::size_t network) {
  std::string text;
  const Scope scope{problem, Scope::Use::output};
  for (std::size_t f = 0; f < found.outputs.size(); ++f)
    if (found.outputs[f] && problem.fields[f].network == int(network))
      text += output_line(problem.fields[f], print(*found.outputs[f], scope));
  return text;
}

/// The conditions that the fields of network k have exact, by its key `hard`.
HardConditions hard_of_network(Draft& draft, const Node& hard, std::size_t k,
                               const std::string& layer) {
  const bool automatic = hard.kind == Node::string && hard.text == "auto";
  std::vector<std::string> left;  // what is exact by the file's own form is done
  for (const std::string& name : requirements_named(draft, hard, k))
    if (!is_among(draft.exact, name)) left.push_back(name);
  const bool nothing = !automatic && left.empty();
  if (!draft.findings.all.empty() || nothing) return {};
  HardConditions found =
      hard_conditions(draft.run.problem, left, !draft.run.windows.edges.empty(), layer, int(k));
  if (!automatic) refuse_soft(draft, hard, found);
  return found;
}

/// Takes out of the exact ones those that a network which was not asked leaves open.
void leave_out_open(const Problem& problem, HardConditions& found) {
  Problem formed = problem;
  for (std::size_t f = 0; f < found.outputs.size(); ++f)
    if (found.outputs[f]) formed.outputs[f] = found.outputs[f];
  std::vector<std::string> exact = exact_residuals(formed);
  for (const Requirement& r : problem.requirements)
    if (r.periodic) exact.push_back(r.name);
  std::erase_if(found.exact, [&](const std::string& name) {
    return !is_among(exact, name) &&
           std::ranges::find(found.soft, name, &Soft::name) == found.soft.end();
  });
}

/// Adds what another network has.
void add(const HardConditions& own, HardConditions& all) {
  all.outputs.resize(std::max(all.outputs.size(), own.outputs.size()));
  for (std::size_t f = 0; f < own.outputs.size(); ++f)
    if (own.outputs[f]) all.outputs[f] = own.outputs[f];
  all.periodic.resize(std::max(all.periodic.size(), own.periodic.size()));
  for (std::size_t c = 0; c < own.periodic.size(); ++c)
    if (own.periodic[c]) all.periodic[c] = true;
  for (const std::string& name : own.exact)
    if (!is_among(all.exact, name)) all.exact.push_back(name);
  for (const Soft& soft : own.soft) {
    const auto told = std::ranges::find(all.soft, soft.name, &Soft::name);
    if (told == all.soft.end())
      all.soft.push_back(soft);
    else
      told->rough = told->rough || soft.rough;
  }
}

std::string comments(const HardConditions& found) {
  std::string text;
  const auto is_soft = [&](const std::string& name) {
    return std::ranges::find(found.soft, name, &Soft::name) != found.soft.end();
  };
  for (const std::string& name : found.exact)
    if (!is_soft(name))
      text += fmt::format("# {}: exact by the network's form, and out of the loss\n", name);
  for (const Soft& soft : found.soft)
    text +=
        fmt::format("# {}: {}stays in the loss, for {}\n", soft.name,
                    is_among(found.exact, soft.name) ? "exact in part; the rest " : "", soft.why);
  return text;
}

}  // namespace

HardChoice hard_choice(Draft& draft, const std::vector<const Node*>& hard,
                       const std::string& layer) {
  HardChoice choice;
  choice.networks.resize(hard.size());
  for (std::size_t k = 0; k < hard.size(); ++k)
    if (hard[k]) add(hard_of_network(draft, *hard[k], k, layer), choice.found);
  const Problem& problem = draft.run.problem;
  if (hard.size() > 1) leave_out_open(problem, choice.found);
  choice.comments = comments(choice.found);
  choice.networks[0].keys = periodic_text(problem, choice.found);
  for (std::size_t k = 0; k < hard.size(); ++k)
    choice.networks[k].output = output_text(problem, choice.found, k);
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
