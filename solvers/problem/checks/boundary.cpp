#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

constexpr double enough = 0.01;  ///< of the boundary that may be bare
constexpr std::size_t points_of_boundary = 20'000, least_of_face = 2, most_of_face = 500;

bool is_second_order_in_space(const Problem& problem) {
  const std::vector<int> space = space_coordinates(problem);
  return std::ranges::any_of(space, [&](int c) { return highest_order(problem, c) >= 2; });
}

bool is_covered(const Problem& problem, std::span<const double> x) {
  double tolerance = 0;
  for (const Coordinate& c : problem.coordinates)
    tolerance = std::max(tolerance, 1e-9 * (c.upper - c.lower));
  return std::ranges::any_of(problem.requirements, [&](const Requirement& r) {
    return r.kind == Requirement::Kind::condition && !r.periodic && r.region &&
           r.region->has_normal() && r.region->inside(x, tolerance);
  });
}

bool is_decided(const Problem& problem, const Region& part) {
  for (std::size_t f = 0; f < problem.outputs.size(); ++f)
    if (decides(problem, f, part)) return true;
  return false;
}

}  // namespace

Warnings uncovered_boundary(const Problem& problem) {
  if (!problem.domain || !is_second_order_in_space(problem)) return {};
  const std::shared_ptr<const Region> boundary = parse_region({{"boundary", {}, false}}, problem);
  double bare = 0;
  std::vector<double> where;
  const auto parts = boundary->parts();
  const int count = int(std::clamp(points_of_boundary / parts.size(), least_of_face, most_of_face));
  for (const Region* part : parts) {
    if (is_decided(problem, *part)) continue;
    const auto points = spread_points(*part, count, 100 * count);
    long open = 0;
    for (const std::vector<double>& x : points) {
      if (is_covered(problem, x)) continue;
      if (where.empty()) where = x;
      ++open;
    }
    if (!points.empty()) bare += part->measure() * double(open) / double(points.size());
  }
  const double share = bare / boundary->measure();
  if (share <= enough) return {};
  std::string at;
  for (const int c : space_coordinates(problem))
    at += fmt::format("{}{} = {:.3g}", at.empty() ? "" : ", ",
                      problem.coordinates[std::size_t(c)].name, where[std::size_t(c)]);
  return {{fmt::format("{:.0f} % of the boundary of the domain has no condition, for example {}",
                       100 * share, at),
           "the conditions",
           "add a [[condition]] with on = \"boundary\" or \"boundary(NAME)\", if the problem needs "
           "one"}};
}

Warnings regions_beyond(const Problem& problem) {
  Warnings all;
  const std::vector<int> space = space_coordinates(problem);
  for (const NamedRegion& region : problem.regions) {
    if (!region.shape || region.shape.moves() || !region.shape.example().bounded()) continue;
    const std::vector<Interval> own = region.shape.example().bounds();
    for (std::size_t k = 0; k < space.size(); ++k) {
      const Coordinate& x = problem.coordinates[std::size_t(space[k])];
      if (own[k].upper > x.lower && own[k].lower < x.upper) continue;
      all.push_back(
          {fmt::format("the region {} lies beyond the box: it reaches from {} = {:.6g} to "
                       "{:.6g}, and {} runs from {:g} to {:g}",
                       quoted(region.name), x.name, own[k].lower, own[k].upper, x.name, x.lower,
                       x.upper),
           "problem.regions." + region.name,
           "nothing is cut or added by it: look at its place, or leave it out"});
      break;
    }
  }
  return all;
}

}  // namespace pinn
