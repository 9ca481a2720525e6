#include "solvers/source/parts.h"

#include <fmt/format.h>

#include "autograd/compile.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "solvers/residual/step/formulas.h"

namespace pinn {
namespace {

/// Formulas of a network with its parameters, traced with nothing taken out.
SourcePart part_of(const TrainedNetwork& network, const std::vector<ExpressionPtr>& formulas) {
  PointWidths widths;
  widths.x = network.model->problem().coordinates.size();
  const TracedFormulas traced = trace_whole_formulas(*network.model, formulas, widths);
  SourcePart part{plan(traced.graph), {}};
  BoundInputs inputs;
  const PointSet nowhere;
  inputs.bind(part.program, traced.given, *network.model,
              {network.parameters, {}, {}, &nowhere, nullptr});
  part.fixed = fixed_memory(part.program, inputs.fixed());
  return part;
}

/// The distance to a region as a formula, negative inside.
ExpressionPtr distance_of(const std::string& name, const Problem& problem) {
  const std::string text = distance_text(problem, name);
  if (text.empty())
    throw ConfigError({fmt::format("not yet: functions that choose by the region '{}'", name),
                       "its distance has no formula",
                       "make it of shapes of the table, or name one piece: side(FIELD, REGION)"});
  Warnings none;
  return parse_expression({text, {"the distance to " + name, 0, 0, {}}, true},
                          {problem, Scope::Use::formula}, none);
}

void add_distances(SourceParts& all, const std::vector<PartitionPtr>& partitions,
                   const TrainedNetwork& network) {
  std::vector<ExpressionPtr> distances;
  for (const PartitionPtr& partition : partitions) {
    all.regions.push_back(partition->size());
    for (std::size_t k = 0; k < partition->size(); ++k)
      distances.push_back(distance_of(partition->name(k), network.model->problem()));
  }
  if (!distances.empty()) all.distances = part_of(network, distances);
}

}  // namespace

SourceParts source_parts(const Run& run, const std::vector<TrainedNetwork>& networks,
                         const std::vector<NamedFormula>& formulas) {
  std::vector<ExpressionPtr> expressions;
  for (const NamedFormula& f : formulas) expressions.push_back(f.expression);
  const RunFormulas accepted(run, networks, expressions);
  SourceParts all;
  if (window_count(run) > 1) {
    all.edges = run.windows.edges;
    all.time = time_of(run.problem);
  }
  all.windows = networks.size();
  const std::vector<PartitionPtr> partitions = partitions_of(expressions);
  add_distances(all, partitions, networks[0]);
  for (const TrainedNetwork& network : networks)
    for (std::size_t piece = 0; piece < piece_count(partitions); ++piece) {
      std::vector<ExpressionPtr> own;
      for (const ExpressionPtr& e : expressions) own.push_back(in_piece(e, partitions, piece));
      all.parts.push_back(part_of(network, own));
    }
  return all;
}

}  // namespace pinn
