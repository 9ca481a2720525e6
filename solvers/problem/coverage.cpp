#include "solvers/problem/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/build.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/formula.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/regions.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Point = std::vector<double>;

/// A few points of a region without pattern: the additive sequence of the golden ratio's kin (roots
/// of x^(d+1) = x + 1), M. Roberts, "The unreasonable effectiveness of quasirandom sequences",
/// 2018.
std::vector<Point> some_points(const Region& part) {
  constexpr int count = 9;
  const std::size_t d = std::size_t(part.dimension());
  double root = 2;
  for (int i = 0; i < 60; ++i) root = std::pow(1 + root, 1.0 / double(d + 1));
  std::vector<Point> points;
  for (int k = 1; k <= (d == 0 ? 1 : count); ++k) {
    Point cube(d), x(std::size_t(part.coordinates()));
    for (std::size_t j = 0; j < d; ++j)
      cube[j] = std::fmod(0.5 + k * std::pow(root, -double(j + 1)), 1);
    part.map(cube, x);
    points.push_back(std::move(x));
  }
  return points;
}

Point starts(const Problem& problem) {
  Point values;
  for (const Unknown& unknown : problem.unknowns) values.push_back(unknown.start);
  return values;
}

/// The highest derivative by a coordinate in the equations.
int highest_order(const Problem& problem, int coordinate) {
  int highest = 0;
  for (const Requirement& r : problem.requirements)
    if (r.kind == Requirement::Kind::equation)
      for (const Need& need : needs(r, problem))
        highest = std::max(highest, int(need.index[std::size_t(coordinate)]));
  return highest;
}

/// Whether a part of the region is a piece of the face, of the face's dimension.
bool lies_in(const Region& region, int coordinate, double end, double length) {
  const auto parts = region.parts();
  return std::any_of(parts.begin(), parts.end(), [&](const Region* part) {
    if (part->dimension() != part->coordinates() - 1) return false;
    const auto points = some_points(*part);
    return std::all_of(points.begin(), points.end(), [&](const Point& x) {
      return std::fabs(x[std::size_t(coordinate)] - end) <= 1e-12 * length;
    });
  });
}

/// Whether the network's raw output has no influence on the face: its coefficient vanishes there.
bool fixes(const Expression& output, const Region& face, const Point& unknowns) {
  const Evaluator value(output);
  for (const Point& x : some_points(face)) {
    const auto at = [&](double n) {
      PointValues values;
      values.coordinates = x;
      values.unknowns = unknowns;
      values.raw_output = n;
      return value(values);
    };
    const double base = at(0);
    for (const double n : {1.0, -3.0})
      if (!(std::fabs(at(n) - base) <= 1e-12 * (1 + std::fabs(base)))) return false;
  }
  return true;
}

std::vector<std::string> covers(const Problem& problem, int coordinate, bool upper) {
  const Coordinate& c = problem.coordinates[std::size_t(coordinate)];
  std::vector<std::string> names;
  for (const Requirement& r : problem.requirements) {
    const bool periodic = r.periodic && r.periodic->coordinate == coordinate;
    const bool there = !r.periodic && r.region &&
                       lies_in(*r.region, coordinate, upper ? c.upper : c.lower, c.upper - c.lower);
    if (periodic || there) names.push_back(r.name);
  }
  for (std::size_t f = 0; f < problem.outputs.size(); ++f)
    if (problem.outputs[f] &&
        fixes(*problem.outputs[f], *face(problem, coordinate, upper), starts(problem)))
      names.push_back("the hard constraint of " + problem.fields[f].name);
  return names;
}

}  // namespace

std::vector<Face> faces(const Problem& problem) {
  std::vector<Face> all;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const Coordinate& x = problem.coordinates[c];
    const bool periodic = c < problem.periodic.size() && problem.periodic[c];
    if (x.role == Role::parameter || periodic || highest_order(problem, int(c)) == 0) continue;
    for (const bool upper : {false, true})
      if (x.role == Role::space || !upper)
        all.push_back({int(c), upper, fmt::format("{} = {}", x.name, upper ? x.upper : x.lower),
                       covers(problem, int(c), upper)});
  }
  return all;
}

Warnings uncovered_faces(const Problem& problem) {
  const std::vector<Face> all = faces(problem);
  Warnings warnings;
  for (const Face& bare : all) {
    const bool other_end = std::any_of(all.begin(), all.end(), [&](const Face& f) {
      return f.coordinate == bare.coordinate && !f.covered_by.empty();
    });
    if (!bare.covered_by.empty()) continue;
    if (other_end && highest_order(problem, bare.coordinate) == 1) continue;
    warnings.push_back(
        {fmt::format("the face {} has no condition", bare.text), "the conditions",
         fmt::format("add a [[condition]] with on = \"{}\", if the problem needs one", bare.text)});
  }
  return warnings;
}

namespace {

/// A function of all coordinates that satisfies nothing by chance, one per field and variant.
ExpressionPtr arbitrary(const Problem& problem, std::size_t field, int variant) {
  Formula phase(0.7 + 0.31 * double(field) + 1.9 * variant);
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const Coordinate& x = problem.coordinates[c];
    const double rate =
        (1.3 + 0.17 * double(c) + 0.23 * double(field) + 0.41 * variant) / (x.upper - x.lower);
    phase = phase + Formula(rate) * Formula(make_leaf(Kind::coordinate, int(c)));
  }
  return (Formula(1.5) + sin(phase)).e;
}

bool vanishes(const Problem& problem, const Requirement& r, const Expression& residual) {
  const Evaluator value(residual);
  const Point unknowns = starts(problem);
  for (const Region* part : r.region->parts())
    for (const Point& x : some_points(*part)) {
      Point normal(x.size(), 0.0);
      if (part->has_normal()) part->normal(x, normal);
      PointValues at;
      at.coordinates = x;
      at.unknowns = unknowns;
      at.normal = normal;
      if (!(std::fabs(value(at)) <= 1e-9)) return false;
    }
  return true;
}

bool is_exact(const Problem& problem, const Requirement& r, const Residual& residual) {
  for (const int variant : {0, 1}) {
    std::vector<ExpressionPtr> fields;
    for (std::size_t f = 0; f < problem.fields.size(); ++f) {
      const ExpressionPtr any = arbitrary(problem, f, variant);
      const bool hard = f < problem.outputs.size() && problem.outputs[f];
      fields.push_back(hard ? substitute_fields(problem.outputs[f], {}, any) : any);
    }
    if (!vanishes(problem, r, *substitute_fields(residual.expression, fields))) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> exact_residuals(const Problem& problem) {
  std::vector<std::string> names;
  const bool any = std::any_of(problem.outputs.begin(), problem.outputs.end(),
                               [](const ExpressionPtr& output) { return output != nullptr; });
  if (!any) return names;
  for (const Requirement& r : problem.requirements)
    for (const Residual& residual : r.residuals)
      if (r.region && is_exact(problem, r, residual)) names.push_back(residual.name);
  return names;
}

}  // namespace pinn
