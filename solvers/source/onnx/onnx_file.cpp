#include "solvers/source/onnx/onnx_file.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/core/version.h"
#include "autograd/onnx/model.h"
#include "autograd/onnx/numbers.h"
#include "data/files/disk.h"
#include "data/files/sealed.h"
#include "solvers/records/checkpoints/recorded_trust.h"
#include "solvers/records/fields/export.h"

namespace pinn {
namespace {

using onnx::Nodes, onnx::Num;

/// The number of the region that a point lies in, or of the nearest: regions do not overlap.
Num region_of(const Num* distances, std::size_t count) {
  Num nearest(0), least = distances[0];
  for (std::size_t k = 1; k < count; ++k) {
    const onnx::Condition nearer = distances[k] < least;
    nearest = select(nearer, Num(double(k)), nearest);
    least = select(nearer, distances[k], least);
  }
  return nearest;
}

/// The number of the part that a point belongs to, in `parts`; -1: there is none.
Num part_of(const SourceParts& parts, const std::vector<Num>& columns, Nodes& nodes) {
  Num window(0), piece(0);
  for (const double edge : parts.edges)
    window = window + select(Num(edge) < columns[std::size_t(parts.time)], Num(1), Num(0));
  if (parts.distances) {
    const std::vector<Num> distances =
        outputs_of(parts.distances->program, parts.distances->fixed, columns, onnx_table, nodes);
    const Num* next = distances.data();
    for (const std::size_t count : parts.regions) {
      piece = piece * Num(double(count)) + region_of(next, count);
      next += count;
    }
  }
  const Num part = window * Num(double(parts.parts.size() / parts.windows)) + piece;
  return select(window < Num(double(parts.windows)), part, Num(-1));
}

onnx::Facts facts_of(const Run& run, const Checkpoint& checkpoint, const std::string& status,
                     const std::vector<NamedFormula>& formulas) {
  onnx::Facts facts{.name = run.name, .version = std::string(version())};
  for (const Coordinate& c : run.problem.coordinates)
    facts.says[c.name] = fmt::format("from {:.9g} to {:.9g} {}", c.lower, c.upper, c.unit);
  for (const NamedFormula& f : formulas) facts.says[f.name] = f.unit;
  const RecordedTrust trust = recorded_trust(status, checkpoint);
  std::string errors = trust.no_estimates;
  for (const RecordedEstimate& e : trust.estimates)
    errors += fmt::format("{}{} {}", errors.empty() ? "" : ", ", e.field, e.text());
  facts.metadata = {{"problem", run.name},
                    {"network", which_network(checkpoint.state)},
                    {"estimated_errors", errors}};
  return facts;
}

}  // namespace

std::vector<Num> onnx_values(const SourceParts& parts, const std::vector<Num>& columns,
                             Nodes& nodes) {
  const bool everywhere = parts.edges.size() < parts.windows;
  const Num which = part_of(parts, columns, nodes);
  std::vector<Num> all;
  for (std::size_t k = 0; k < parts.parts.size(); ++k) {
    const SourcePart& part = parts.parts[k];
    const std::vector<Num> y = outputs_of(part.program, part.fixed, columns, onnx_table, nodes);
    if (k == 0) all = everywhere ? y : std::vector<Num>(y.size(), Num(NAN));
    if (k == 0 && everywhere) continue;
    for (std::size_t i = 0; i < y.size(); ++i)
      all[i] = select(which == Num(double(k)), y[i], all[i]);
  }
  return all;
}

Written export_onnx(const Run& run, const Checkpoint& checkpoint, const std::string& fields,
                    const std::string& path, DType dtype, const std::string& status) {
  require_not_sealed(path);
  const std::vector<NamedFormula> formulas =
      formulas_in(run, fields, *interior(run.problem), "--fields");
  ThreadPool pool(1);
  const SourceParts parts =
      source_parts(run, networks_of(run, checkpoint.state, pool, run.path), formulas);
  Nodes nodes(dtype);
  std::vector<Num> columns;
  for (const Coordinate& c : run.problem.coordinates) columns.push_back(nodes.input(c.name));
  const std::vector<Num> results = onnx_values(parts, columns, nodes);
  for (std::size_t k = 0; k < formulas.size(); ++k) nodes.output(formulas[k].name, results[k]);
  write_atomically(path, {model_of(nodes, facts_of(run, checkpoint, status, formulas))});
  return {{path}, ""};
}

}  // namespace pinn
