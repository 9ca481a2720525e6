#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "configs/reading/pieces.h"
#include "models/kinds.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/tables.h"

namespace pinn::config {
namespace {

std::string name_of(const Node* table) {
  const Node* name = table ? table->at("name") : nullptr;
  return name ? name->text : "";
}

void read_frequency(Draft& draft, const Node& table, NetworkOptions& network) {
  network.frequency.assign(draft.run.problem.coordinates.size(), 1.0);
  for (const Entry& e : entries_of(draft, table))
    if (const int i = coordinate_named(draft, e); i >= 0)
      network.frequency[std::size_t(i)] = e.value.real;
}

void read_periodic(Draft& draft, const Node& value) {
  const auto read = [&](const Node& name) {
    if (const int i = coordinate_named(draft, name); i >= 0)
      draft.run.problem.periodic[std::size_t(i)] = true;
  };
  if (value.kind == Node::string) read(value);
  for (const Node& item : value.items) read(item);
}

/// The field of network k that a key names, or -1 with a report.
int field_of(Draft& draft, const Entry& e, std::size_t k) {
  const std::vector<Field>& fields = draft.run.problem.fields;
  bool elsewhere = false;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if ((fields[f].piece_of.empty() ? fields[f].name : fields[f].piece_of) != e.key) continue;
    if (fields[f].network == int(k)) return int(f);
    elsewhere = true;
  }
  if (!elsewhere) return field_named(draft, e);
  draft.findings.add(Mistake::network_output, e,
                     fmt::format("{} does not come from this network", pinn::quoted(e.key)),
                     "write its form in the table of its own network");
  return -1;
}

/// The problem as it is where a field lives: that of the first region of its network.
const Problem& around(const Problem& problem, int field) {
  Warnings told_before;
  for (const PiecewiseField& f :
       problem.pieces ? problem.pieces->fields : std::vector<PiecewiseField>()) {
    if (std::ranges::count(f.fields, field) != 1) continue;
    std::vector<int> chosen(problem.pieces->partitions.size(), -1);
    chosen[std::size_t(f.partition)] = int(std::ranges::find(f.fields, field) - f.fields.begin());
    return problem.pieces->dialect(problem, chosen, told_before);
  }
  return problem;
}

void read_outputs(Draft& draft, const Node& table, std::size_t k, Warnings& warnings) {
  for (const Entry& e : entries_of(draft, table)) {
    const int i = field_of(draft, e, k);
    if (i < 0) continue;
    reading(draft, e.value, Mistake::hard_constraint, [&] {
      const Problem& problem = draft.run.problem;
      const Scope scope{around(problem, i), Scope::Use::output};
      ExpressionPtr& output = draft.run.problem.outputs[std::size_t(i)];
      output = parse_expression(text(e.value), scope, warnings);
      if (!partitions_of(*output).empty())
        throw ConfigError(report(text(e.value), {0, e.value.text.size()},
                                 "this form of the field means something else in every region, "
                                 "and one network gives the field in several",
                                 "give each region a network of its own"));
      require_known(text(e.value), *output, *interior(problem), problem);
    });
  }
}

/// Reports keys that make no network together. A key of which a default is the trouble is not in
/// the table: then it is the table's own.
void check_options(Draft& draft, const Node& table, const NetworkOptions& network) {
  for (const NetworkMisfit& misfit : misfits(network)) {
    const Node* at = table.at(misfit.key);
    draft.findings.add(Mistake::network_options, at ? *at : table, misfit.what, misfit.fix);
  }
}

}  // namespace

bool check_network_names(Draft& draft) {
  const std::size_t before = draft.findings.all.size();
  const Node* unknowns = draft.tree.at("problem.unknowns");
  std::set<std::string> taken;
  for (std::size_t k = 0; k < network_count(draft); ++k) {
    const Node* table = network_table(draft, k);
    const std::string name = name_of(table);
    if (name.empty() && network_count(draft) > 1 && !table->find("name"))
      draft.findings.add(Mistake::network_without_name, *table,
                         "one of several networks needs a name", "write name = \"a\"");
    if (name.empty()) continue;
    const bool is_unknown = unknowns && unknowns->find(name);
    if (!is_plain_name(name) || name == "network" || is_unknown)
      draft.findings.add(Mistake::network_name, *table->at("name"),
                         fmt::format("{} cannot be the name of a network", pinn::quoted(name)),
                         "use letters, digits, _ and -, a letter first, and no name of an unknown");
    else if (!taken.insert(name).second)
      draft.findings.add(Mistake::network_twice, *table->at("name"),
                         fmt::format("there are two networks called {}", pinn::quoted(name)),
                         "give each a name of its own");
  }
  return draft.findings.all.size() == before;
}

const Node* network_table(const Draft& draft, std::size_t k) {
  const Node* node = draft.tree.at("network");
  if (!node || node->kind != Node::array) return k == 0 ? node : nullptr;
  return k < node->items.size() ? &node->items[k] : nullptr;
}

std::size_t network_count(const Draft& draft) {
  const Node* node = draft.tree.at("network");
  return node && node->kind == Node::array ? node->items.size() : 1;
}

void lay_out_networks(Draft& draft) { draft.run.networks.resize(network_count(draft)); }

void read_network(Draft& draft, Warnings& warnings) {
  for (std::size_t k = 0; k < network_count(draft); ++k) {
    const Node* table = network_table(draft, k);
    NetworkOptions& options = draft.run.networks.at(k);
    if (table) {
      if (const Node* steep = table->at("frequency")) read_frequency(draft, *steep, options);
      if (const Node* names = table->at("periodic")) read_periodic(draft, *names);
      if (const Node* forms = table->at("output")) read_outputs(draft, *forms, k, warnings);
    }
    if (options.frequency.empty())
      options.frequency.assign(draft.run.problem.coordinates.size(), 1.0);
    if (options.fourier.features > 0 && options.fourier.scale.empty())
      options.fourier.scale = {1.0};
    if (!table || !table->at("fourier.seed")) options.fourier.seed = draft.run.options.seed;
    if (table) check_options(draft, *table, options);
  }
  for (NetworkOptions& options : draft.run.networks) options.periodic = draft.run.problem.periodic;
}

}  // namespace pinn::config
