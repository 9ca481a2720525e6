#include "solvers/problem/checks.h"
#include "solvers/problem/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/tables.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Reports = std::vector<Report>;

std::string at_place(const Requirement& r) {
  return r.place.line > 0 ? to_string(r.place) : fmt::format("requirement '{}'", r.name);
}

/// The fields, unknowns or columns that appear in an expression.
void add_leaves(const Expression& e, Kind kind, std::set<int>& found) {
  for (const Expression* node : in_order(e))
    if (node->kind == kind) found.insert(node->index);
}
std::set<int> leaves(const Requirement& r, Kind kind) {
  std::set<int> found;
  for (const Residual& residual : r.residuals) add_leaves(*residual.expression, kind, found);
  return found;
}
std::set<int> leaves(const Problem& problem, Kind kind) {
  std::set<int> found;
  for (const Requirement& r : problem.requirements) found.merge(leaves(r, kind));
  return found;
}

void check_residuals(const Requirement& r, Reports& reports) {
  if (r.residuals.empty() && !r.periodic)
    reports.push_back({fmt::format("the requirement '{}' asks for nothing", r.name), at_place(r),
                       "give it a residual"});
  for (const Residual& residual : r.residuals)
    if (!contains(*residual.expression, Kind::field) &&
        !contains(*residual.expression, Kind::unknown))
      reports.push_back(
          report(residual.text, {0, residual.text.value.size()},
                 fmt::format("the residual '{}' has no field and no unknown in it", residual.name),
                 "write a formula that training can make vanish"));
}

void check_columns(const Requirement& r, Reports& reports) {
  if (!r.data) return;
  const std::set<int> used = leaves(r, Kind::column);
  for (std::size_t i = 0; i < r.data->columns.size(); ++i) {
    if (!used.contains(int(i)))
      reports.push_back(
          {fmt::format("no residual of '{}' uses its column '{}'", r.name, r.data->columns[i]),
           at_place(r), "use it, or leave it out of `columns`"});
  }
}

void check_periodic(const Problem& problem, const Requirement& r, Reports& reports) {
  if (!r.periodic) return;
  const std::size_t c = std::size_t(r.periodic->coordinate);
  const std::string& x = problem.coordinates[c].name;
  if (c < problem.periodic.size() && problem.periodic[c])
    reports.push_back({fmt::format("{} is periodic already: the network is, by its embedding", x),
                       at_place(r), "remove this condition, or network.periodic"});
  if (r.periodic->order < 0 || r.periodic->order > max_order)
    reports.push_back({fmt::format("a periodic condition of order {}", r.periodic->order),
                       at_place(r), fmt::format("choose an order from 0 to {}", max_order)});
}

void check_requirement_names(const Problem& problem, Reports& reports) {
  std::set<std::string> seen;
  for (const Requirement& r : problem.requirements)
    if (!seen.insert(r.name).second)
      reports.push_back({fmt::format("two requirements are called '{}'", r.name), at_place(r),
                         "give each a name of its own"});
}

void check_fields(const Problem& problem, Reports& reports) {
  const std::set<int> used = leaves(problem, Kind::field);
  for (std::size_t f = 0; f < problem.fields.size(); ++f) {
    const std::string& name = problem.fields[f].name;
    if (!used.contains(int(f)))
      reports.push_back({fmt::format("nothing is asked of the field '{}'", name), "problem.fields",
                         "use it in a residual, or remove it"});
    const bool hard = f < problem.outputs.size() && problem.outputs[f];
    if (hard && !contains(*problem.outputs[f], Kind::raw_output))
      reports.push_back(
          {fmt::format("the hard constraint of '{}' does not use N, so nothing can be trained",
                       name),
           "network.output." + name, "write it as g + h*N, with N the network's output"});
  }
}

void check_unknowns(const Problem& problem, Reports& reports, Warnings& warnings) {
  std::set<int> used = leaves(problem, Kind::unknown);
  for (const ExpressionPtr& output : problem.outputs)
    if (output) add_leaves(*output, Kind::unknown, used);
  for (std::size_t i = 0; i < problem.unknowns.size(); ++i) {
    const Unknown& u = problem.unknowns[i];
    const std::string where = "problem.unknowns." + u.name;
    if ((u.min && u.start < *u.min) || (u.max && u.start > *u.max))
      reports.push_back(
          {fmt::format("the unknown '{}' starts at {}, outside of its bounds", u.name, u.start),
           where, "choose a start between min and max"});
    if (u.log && !(u.start > 0))
      reports.push_back({fmt::format("the unknown '{}' starts at {}, and its scale is logarithmic",
                                     u.name, u.start),
                         where, "choose a positive start, or leave scale out"});
    if (!used.contains(int(i)))
      warnings.push_back(
          {fmt::format("no residual uses the unknown '{}': it stays at its start", u.name), where,
           "use it in a residual, or declare it as a constant"});
  }
}

/// True if the points of a region extend along all coordinates that a field depends on.
bool spans(const Region& region, const Field& field) {
  std::vector<int> inputs = field.inputs;
  for (int c = 0; field.inputs.empty() && c < region.coordinates(); ++c) inputs.push_back(c);
  return std::ranges::any_of(region.parts(), [&](const Region* part) {
    if (part->dimension() < int(inputs.size())) return false;
    const auto points = some_points(*part);
    return std::ranges::all_of(inputs, [&](int c) {
      return std::ranges::any_of(points, [&](const std::vector<double>& x) {
        return x[std::size_t(c)] != points[0][std::size_t(c)];
      });
    });
  });
}

/// True if a residual on a region is an equation of some field, whatever table it stands in: all
/// over what that depends on, as an ordinary differential equation on a wall is of a field of time.
bool is_equation_of_some(const Problem& problem, const Region& region, const Residual& residual) {
  return std::ranges::any_of(needs(*residual.expression), [&](const Need& need) {
    return spans(region, problem.fields[std::size_t(need.field)]);
  });
}

std::size_t equations_in(const Problem& problem, const Requirement& r) {
  if (r.kind == Requirement::Kind::equation) return r.residuals.size();
  if (!r.region || r.periodic || (is_integral(r) && !r.places)) return 0;
  return std::size_t(std::ranges::count_if(r.residuals, [&](const Residual& residual) {
    return is_equation_of_some(problem, *r.region, residual);
  }));
}

/// Fewer equations than fields is right with data or by design only.
void compare_counts(const Problem& problem, Warnings& warnings) {
  std::size_t equations = 0;
  bool data = false;
  for (const Requirement& r : problem.requirements) {
    data = data || r.data;
    equations += equations_in(problem, r);
  }
  const std::size_t fields = whole_fields(problem).size();
  if (equations < fields && !data)
    warnings.push_back(
        {fmt::format("{} equation{} for {} fields", equations, equations == 1 ? "" : "s", fields),
         "the equations", "write one equation per field, as residuals of one [[equation]]"});
}

/// Tables must know what coordinates ask of them.
void check_tables(const Problem& problem, std::vector<Report>& reports) {
  if (problem.functions.empty()) return;
  const auto collect = [&](const auto& act) {
    try {
      act();
    } catch (const ConfigError& error) {
      reports.insert(reports.end(), error.reports.begin(), error.reports.end());
    }
  };
  for (const Requirement& r : problem.requirements)
    for (const Residual& residual : r.residuals)
      collect([&] {
        if (r.region) require_known(residual.text, *residual.expression, *r.region, problem);
        if (r.data) require_known(residual.text, *residual.expression, r.data->rows, problem);
      });
}

}  // namespace

void check_coordinates(const std::vector<Coordinate>& coordinates) {
  Reports reports;
  const std::string all = "problem.coordinates";
  if (coordinates.empty())
    reports.push_back(
        {"the problem has no coordinates", all, "write coordinates = { x = [0, 1] }"});
  if (coordinates.size() > std::size_t(max_coordinates))
    reports.push_back({fmt::format("the problem has {} coordinates", coordinates.size()), all,
                       fmt::format("use at most {}", max_coordinates)});
  int times = 0;
  for (const Coordinate& c : coordinates) {
    if (!(std::isfinite(c.lower) && std::isfinite(c.upper) && c.lower < c.upper))
      reports.push_back(
          {fmt::format("the coordinate '{}' runs from {} to {}", c.name, c.lower, c.upper),
           all + "." + c.name, "write two finite numbers, the lower one first"});
    times += c.role == Role::time;
  }
  if (times > 1)
    reports.push_back(
        {fmt::format("{} coordinates are time", times), all, "give one of them the role \"time\""});
  if (!reports.empty()) throw ConfigError(reports);
}

void validate(const Problem& problem, Warnings& warnings) {
  check_coordinates(problem.coordinates);
  Reports reports;
  if (problem.fields.empty())
    reports.push_back({"the problem has no fields", "problem.fields", "write fields = [\"u\"]"});
  if (problem.requirements.empty())
    reports.push_back({"the problem has no equations, conditions or data", "the whole file",
                       "write an [[equation]] with a residual"});
  for (const Requirement& r : problem.requirements) {
    check_residuals(r, reports);
    check_columns(r, reports);
    check_periodic(problem, r, reports);
  }
  check_requirement_names(problem, reports);
  check_fields(problem, reports);
  check_unknowns(problem, reports, warnings);
  check_tables(problem, reports);
  compare_counts(problem, warnings);
  if (reports.empty()) reports = undefined_values(problem);
  if (!reports.empty()) throw ConfigError(reports);
}

}  // namespace pinn
