#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "configs/draft.h"
#include "data/files/fields/formats.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/tables.h"

namespace pinn::config {
namespace {

constexpr int default_grid = 101;
constexpr double most_values = 1e7;

double points_of(const std::vector<GridAxis>& grid) {
  double points = 1;
  for (const GridAxis& axis : grid) points *= axis.count;
  return points;
}

/// A number of positions, or the place of a slice.
GridAxis grid_axis(Draft& draft, const Node& value, const Coordinate& c) {
  if (value.kind == Node::integer) return int(value.whole);
  double x = value.real;
  if (value.kind == Node::string && !reading(draft, value, Mistake::grid_constant, [&] {
        x = parse_constant(text(value), draft.run.problem);
      }))
    return default_grid;
  constexpr double rounding = 1e-12;
  const double near = rounding * (c.upper - c.lower);
  if (!(x >= c.lower - near && x <= c.upper + near))
    draft.findings.add(Mistake::grid_place, value,
                       fmt::format("the slice {} = {} lies outside of the domain", c.name, x),
                       fmt::format("{} runs from {} to {}; an integer is a number of points",
                                   c.name, c.lower, c.upper));
  return GridAxis::at(std::clamp(x, c.lower, c.upper));
}

void read_grid(Draft& draft, const Node* output) {
  auto& grid = draft.run.output.grid;
  grid.assign(draft.run.problem.coordinates.size(), default_grid);
  std::vector<bool> is_named(grid.size(), false);
  const Node* table = output ? output->at("grid") : nullptr;
  if (table)
    for (const Entry& e : entries_of(draft, *table))
      if (const int i = coordinate_named(draft, e); i >= 0) {
        grid[std::size_t(i)] =
            grid_axis(draft, e.value, draft.run.problem.coordinates[std::size_t(i)]);
        is_named[std::size_t(i)] = true;
      }
  // No grid has room for many coordinates: then it is a plane in their middle.
  const bool fits = points_of(grid) <= most_values;
  for (std::size_t k = 2; k < grid.size() && !fits; ++k)
    if (!is_named[k]) grid[k] = 1;
  const double values = points_of(grid);
  if (values > most_values)
    draft.findings.add(
        Mistake::grid_too_large,
        table    ? *table
        : output ? *output
                 : draft.tree,
        fmt::format("the output grid has {:.3g} points; it may have {:.0e}", values, most_values),
        "write output.grid = { ... } with fewer points per coordinate");
}

/// Names of the arrays that an entry of [output] fields writes.
std::vector<std::string> written_by(const Draft& draft, const std::string& entry) {
  if (entry != "residual") return {entry};
  std::vector<std::string> names;
  for (const Requirement& r : draft.run.problem.requirements)
    for (const Residual& residual : r.residuals)
      if (r.kind == Requirement::Kind::equation) names.push_back("residual_" + residual.name);
  return names;
}

/// Every array of a file has a name of its own, and the coordinates are among them.
void check_output_names(Draft& draft, const Node& fields) {
  std::map<std::string, std::string> taken;
  for (const Coordinate& c : draft.run.problem.coordinates)
    taken[array_name(c.name)] = "the coordinate " + pinn::quoted(c.name);
  for (const Node& item : fields.items)
    for (const std::string& name : written_by(draft, item.text)) {
      const auto [at, is_new] = taken.insert({array_name(name), pinn::quoted(name)});
      if (is_new) continue;
      draft.findings.add(Mistake::output_name, item,
                         fmt::format("{} would be written under the same name as {}",
                                     pinn::quoted(name), at->second),
                         "leave one of them out; coordinates are always written");
    }
}

void read_output_fields(Draft& draft, const Node* fields, Warnings& warnings) {
  OutputOptions& output = draft.run.output;
  if (!fields) {
    for (const std::string& name : whole_fields(draft.run.problem)) {
      output.fields.push_back({name, {}, true});
      output.expressions.push_back(
          parse_expression(output.fields.back(), Scope{draft.run.problem}, warnings));
    }
    return;
  }
  for (const Node& item : fields->items) {
    output.fields.push_back(text(item));
    output.expressions.push_back(nullptr);
    if (item.text != "residual")
      reading(draft, item, Mistake::output_field, [&] {
        const Scope scope{draft.run.problem, Scope::Use::residual};
        output.expressions.back() = parse_expression(output.fields.back(), scope, warnings);
        require_known(output.fields.back(), *output.expressions.back(), *interior(scope.problem),
                      scope.problem);
      });
  }
  check_output_names(draft, *fields);
}

int rank(const Node& node) { return node.source ? node.source->rank : 0; }

/// Keeps the one of a grid and points that was said last, an argument over the file: the other is
/// as if it were not there.
void keep_the_last(Draft& draft) {
  Node* output = draft.tree.find("output");
  const Node* grid = output ? output->at("grid") : nullptr;
  const Node* points = output ? output->at("points") : nullptr;
  if (!grid || !points || rank(*grid) == rank(*points)) return;
  const std::string before = rank(*grid) > rank(*points) ? "points" : "grid";
  std::erase_if(output->entries, [&](const Entry& e) { return e.key == before; });
}

void read_output(Draft& draft, Warnings& warnings) {
  keep_the_last(draft);
  const Node* output = draft.tree.at("output");
  const Node* points = output ? output->at("points") : nullptr;
  if (points && output->at("grid"))
    draft.findings.add(Mistake::grid_and_points, *points, "output has both 'grid' and 'points'",
                       "leave one of them out");
  if (points)
    draft.run.output.points_file = resolved_file(draft, *points);
  else
    read_grid(draft, output);
  read_output_fields(draft, output ? output->at("fields") : nullptr, warnings);
}

}  // namespace

void read_results(Draft& draft, Warnings& warnings) {
  read_output(draft, warnings);
  if (const Node* values = draft.tree.at("output.values")) read_values(draft, *values, warnings);
  if (const Node* reference = draft.tree.at("reference"))
    read_reference(draft, *reference, warnings);
}

}  // namespace pinn::config
