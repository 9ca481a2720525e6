#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

constexpr double enough = 0.01;  ///< of the boundary that may be bare
constexpr long points_of_part = 500;

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
  std::vector<double> where, x(problem.coordinates.size());
  for (const Region* part : boundary->parts()) {
    if (is_decided(problem, *part)) continue;
    SpreadPoints points(part->sampler().numbers());
    long seen = 0, open = 0;
    for (long k = 0; k < 100 * points_of_part && seen < points_of_part; ++k) {
      if (!part->sampler().sample(points.next(), x, {})) continue;
      ++seen;
      if (is_covered(problem, x)) continue;
      if (where.empty()) where = x;
      ++open;
    }
    if (seen > 0) bare += part->measure() * double(open) / double(seen);
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

}  // namespace pinn
