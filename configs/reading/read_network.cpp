#include <fmt/format.h>

#include "configs/draft.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/tables.h"

namespace pinn::config {
namespace {

void read_frequency(Draft& draft, const Node& table) {
  draft.run.network.frequency.assign(draft.run.problem.coordinates.size(), 1.0);
  for (const Entry& e : entries_of(draft, table))
    if (const int i = coordinate_named(draft, e); i >= 0)
      draft.run.network.frequency[std::size_t(i)] = e.value.real;
}

void read_periodic(Draft& draft, const Node& value) {
  const auto read = [&](const Node& name) {
    if (const int i = coordinate_named(draft, name); i >= 0)
      draft.run.problem.periodic[std::size_t(i)] = true;
  };
  if (value.kind == Node::string) read(value);
  for (const Node& item : value.items) read(item);
}

void read_outputs(Draft& draft, const Node& table, Warnings& warnings) {
  for (const Entry& e : entries_of(draft, table)) {
    const int i = field_named(draft, e);
    if (i < 0) continue;
    reading(draft, e.value, Mistake::hard_constraint, [&] {
      const Scope scope{draft.run.problem, Scope::Use::output};
      ExpressionPtr& output = draft.run.problem.outputs[std::size_t(i)];
      output = parse_expression(text(e.value), scope, warnings);
      require_known(text(e.value), *output, *interior(scope.problem), scope.problem);
    });
  }
}

void check_activations(Draft& draft, const Node& network) {
  const std::size_t layers = draft.run.network.layers.size();
  const std::size_t found = draft.run.network.activation.size();
  const Node* at = network.at("activation");
  if (at && found != 1 && found != layers)
    draft.findings.add(Mistake::activation_count, *at,
                       fmt::format("{} activations for {} layers", found, layers),
                       "write one for all layers, or one per layer");
}

}  // namespace

void read_network(Draft& draft, Warnings& warnings) {
  NetworkOptions& options = draft.run.network;
  const Node* network = draft.tree.at("network");
  if (network) {
    if (const Node* table = network->at("frequency")) read_frequency(draft, *table);
    if (const Node* names = network->at("periodic")) read_periodic(draft, *names);
    if (const Node* table = network->at("output")) read_outputs(draft, *table, warnings);
    check_activations(draft, *network);
  }
  options.periodic = draft.run.problem.periodic;
  if (options.frequency.empty())
    options.frequency.assign(draft.run.problem.coordinates.size(), 1.0);
  if (options.fourier.features > 0 && options.fourier.scale.empty()) options.fourier.scale = {1.0};
  if (!network || !network->at("fourier.seed")) options.fourier.seed = draft.run.options.seed;
}

}  // namespace pinn::config
