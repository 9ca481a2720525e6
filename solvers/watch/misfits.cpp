#include "solvers/watch/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/cut.h"
#include "models/parts/layers.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/needs.h"

namespace pinn {
namespace {

constexpr double share_of_rounding = 1e-3;  ///< of an interval

bool is_outside(const Problem& problem, std::size_t c, double x) {
  if (c < problem.periodic.size() && problem.periodic[c]) return false;
  const Coordinate& coordinate = problem.coordinates[c];
  const double tolerance = share_of_rounding * (coordinate.upper - coordinate.lower);
  return !(x >= coordinate.lower - tolerance && x <= coordinate.upper + tolerance);
}

}  // namespace

Warnings points_outside(const Problem& problem, std::span<const double> x, const std::string& name,
                        const std::string& where) {
  const std::size_t d = problem.coordinates.size(), count = x.size() / d;
  std::size_t outside = 0, first = 0, along = 0;
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t c = 0; c < d; ++c) {
      if (!is_outside(problem, c, x[n * d + c])) continue;
      if (outside++ == 0) first = n, along = c;
      break;
    }
  if (outside == 0) return {};
  const Coordinate& c = problem.coordinates[along];
  return {
      {fmt::format("{} of the {} points of {} lie{} outside of the domain, the first in row {}: "
                   "{} = {:g} is not in [{:g}, {:g}]",
                   outside, count, name, outside == 1 ? "s" : "", first + 1, c.name,
                   x[first * d + along], c.lower, c.upper),
       where,
       fmt::format("leave them out, or widen problem.coordinates.{}: nothing is asked of the "
                   "network there",
                   c.name)}};
}

namespace {

/// True if a point within the ranges of all coordinates is in no part of the domain.
bool is_in_hole(const Problem& problem, std::span<const double> x) {
  for (std::size_t c = 0; c < x.size(); ++c)
    if (is_outside(problem, c, x[c])) return false;
  const std::vector<double> place = place_of(x, space_coordinates(problem));
  const ShapePtr shape = problem.domain.at(x);
  if (shape->inside(place)) return false;
  double size = 0;
  for (const Interval& i : shape->bounds()) size = std::max(size, i.upper - i.lower);
  return shape->distance_kind() == DistanceKind::none ||
         shape->distance(place) > share_of_rounding * size;
}

/// Warning about points in a hole of the domain; none where none are.
Warnings points_in_holes(const Problem& problem, std::span<const double> x, const std::string& name,
                         const std::string& where) {
  if (!problem.domain) return {};
  const std::size_t d = problem.coordinates.size(), count = x.size() / d;
  std::size_t outside = 0, first = 0;
  for (std::size_t n = 0; n < count; ++n)
    if (is_in_hole(problem, x.subspan(n * d, d)) && outside++ == 0) first = n;
  if (outside == 0) return {};
  return {{fmt::format("{} of the {} points of {} lie{} in no part of the domain, the first in row "
                       "{}: {}",
                       outside, count, name, outside == 1 ? "s" : "", first + 1,
                       place_text(problem.coordinates, x.subspan(first * d, d))),
           where,
           "leave them out, or look at problem.domain: nothing is asked of the network there"}};
}

}  // namespace

Warnings points_outside(const Run& run) {
  Warnings all;
  const auto check = [&](std::span<const double> x, const std::string& name,
                         const std::string& where) {
    const Warnings found = points_outside(run.problem, x, name, where);
    all.insert(all.end(), found.begin(), found.end());
  };
  for (const Requirement& r : run.problem.requirements) {
    if (!r.data) continue;
    check(r.data->rows, "'" + r.name + "'", r.data->file);
    const Warnings found =
        points_in_holes(run.problem, r.data->rows, "'" + r.name + "'", r.data->file);
    all.insert(all.end(), found.begin(), found.end());
  }
  if (const std::string& file = run.output.points_file; !file.empty())
    check(file_points(run.problem, file).x, "[output]", file);
  return all;
}

namespace {

int highest_derivative(const Problem& problem) {
  int highest = 0;
  for (const Requirement& r : problem.requirements)
    for (const Need& need : needs(r, problem)) highest = std::max(highest, order(need.index));
  return highest;
}

}  // namespace

Warnings rough_activations(const Run& run) {
  const int highest = highest_derivative(run.problem);
  for (const NetworkOptions& network : run.networks)
    if (const std::string why = roughness(network, highest); !why.empty())
      return {{fmt::format("the residuals ask for derivatives of order {}, and {}", highest, why),
               "network.activation", "use a smooth one: tanh, sin, silu, gelu or softplus"}};
  return {};
}

}  // namespace pinn
