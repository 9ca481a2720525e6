#include "solvers/problem/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {

bool lies_in_face(const Region& region, const Problem& problem, int coordinate, bool upper) {
  const Coordinate& c = problem.coordinates[std::size_t(coordinate)];
  const double end = upper ? c.upper : c.lower, tolerance = 1e-12 * (c.upper - c.lower);
  const auto parts = region.parts();
  return std::any_of(parts.begin(), parts.end(), [&](const Region* part) {
    if (part->dimension() != part->coordinates() - 1) return false;
    const auto points = some_points(*part);
    return std::all_of(points.begin(), points.end(), [&](const std::vector<double>& x) {
      return std::fabs(x[std::size_t(coordinate)] - end) <= tolerance;
    });
  });
}

int highest_order(const Problem& problem, int coordinate) {
  int highest = 0;
  for (const Requirement& r : problem.requirements)
    if (r.kind == Requirement::Kind::equation)
      for (const Need& need : needs(r, problem))
        highest = std::max(highest, int(need.index[std::size_t(coordinate)]));
  return highest;
}

namespace {

/// True if data lie along a face: rows within a twentieth of the domain from it that reach over
/// half of every other coordinate in space and time.
bool lie_along(const DataSet& data, const Problem& problem, int coordinate, bool upper) {
  constexpr double near = 0.05, share = 0.5;
  const std::size_t d = problem.coordinates.size(), face = std::size_t(coordinate);
  std::vector<Interval> reach(
      d, {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
  const auto length = [&](std::size_t c) {
    return problem.coordinates[c].upper - problem.coordinates[c].lower;
  };
  const double end = upper ? problem.coordinates[face].upper : problem.coordinates[face].lower;
  bool any = false;
  for (std::size_t row = 0; row < data.count; ++row) {
    const double* x = data.rows.data() + row * d;
    if (std::fabs(x[face] - end) > near * length(face)) continue;
    any = true;
    for (std::size_t c = 0; c < d; ++c)
      reach[c] = {std::min(reach[c].lower, x[c]), std::max(reach[c].upper, x[c])};
  }
  for (std::size_t c = 0; c < d && any; ++c)
    if (c != face && problem.coordinates[c].role != Role::parameter)
      any = reach[c].upper - reach[c].lower >= share * length(c);
  return any;
}

std::vector<std::string> covers(const Problem& problem, int coordinate, bool upper) {
  std::vector<std::string> names;
  for (const Requirement& r : problem.requirements) {
    const bool periodic = r.periodic && r.periodic->coordinate == coordinate;
    const bool there = !r.periodic && r.region && !is_integral(r) &&
                       lies_in_face(*r.region, problem, coordinate, upper);
    const bool data = r.data && lie_along(*r.data, problem, coordinate, upper);
    if (periodic || there || data) names.push_back(r.name);
  }
  for (std::size_t f = 0; f < problem.outputs.size(); ++f)
    if (decides(problem, f, *face(problem, coordinate, upper)))
      names.push_back("the hard constraint of " + problem.fields[f].name);
  return names;
}

std::vector<Face> faces(const Problem& problem, const FieldUses& uses) {
  std::vector<Face> all;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const Coordinate& x = problem.coordinates[c];
    const bool periodic = c < problem.periodic.size() && problem.periodic[c];
    const bool shaped = problem.domain && x.role == Role::space;  // its boundary is no face
    if (x.role == Role::parameter || periodic || shaped || uses.highest_order(int(c)) == 0)
      continue;
    for (const bool upper : {false, true}) {
      Face found{int(c), upper, fmt::format("{} = {}", x.name, upper ? x.upper : x.lower),
                 covers(problem, int(c), upper)};
      const bool open_end = x.role == Role::time && upper && found.covered_by.empty();
      if (!open_end) all.push_back(std::move(found));
    }
  }
  return all;
}

}  // namespace

std::vector<Face> faces(const Problem& problem) { return faces(problem, FieldUses(problem)); }

Warnings uncovered_faces(const Problem& problem) {
  const FieldUses uses(problem);
  const std::vector<Face> all = faces(problem, uses);
  Warnings warnings;
  for (const Face& bare : all) {
    const bool other_end = std::any_of(all.begin(), all.end(), [&](const Face& f) {
      return f.coordinate == bare.coordinate && !f.covered_by.empty();
    });
    if (!bare.covered_by.empty()) continue;
    const bool space = problem.coordinates[std::size_t(bare.coordinate)].role == Role::space;
    if (space && other_end && uses.highest_order(bare.coordinate) == 1) continue;
    if (is_carried(problem, uses, bare.coordinate)) continue;
    warnings.push_back(
        {fmt::format("the face {} has no condition", bare.text), "the conditions",
         fmt::format("add a [[condition]] with on = \"{}\", if the problem needs one", bare.text)});
  }
  return warnings;
}

}  // namespace pinn
