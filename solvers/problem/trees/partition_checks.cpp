// Checks that the regions of a partition cover the domain, and that none overlaps another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/measure.h"
#include "solvers/problem/pieces.h"

namespace pinn {
namespace {

constexpr int points_of_domain = 4096, points_of_region = 64, points_of_border = 1024;
constexpr int candidates = 1 << 16;

/// Calls visit(x) at evenly spread points of a region.
template <class Visit> void visit_points(const Region& region, int count, const Visit& visit) {
  for (const Region* part : region.parts())
    for (const std::vector<double>& x : spread_points(*part, count, candidates)) visit(x);
}

/// True if the domain goes on beyond a border of a region.
bool is_within(const Region& border, std::span<const double> x, const Problem& problem) {
  constexpr double step = 1e-6;
  if (!border.has_normal()) return true;
  std::vector<double> n(x.size()), beyond(x.begin(), x.end());
  border.normal(x, n);
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Coordinate& whole = problem.coordinates[c];
    beyond[c] += step * (whole.upper - whole.lower) * n[c];
    if (beyond[c] < whole.lower || beyond[c] > whole.upper) return false;
  }
  return in_domain(problem, beyond);
}

}  // namespace

void Partition::fail_overlap(std::size_t a, std::size_t b, std::span<const double> x,
                             const Problem& problem) const {
  throw ConfigError({fmt::format("the regions '{}' and '{}' overlap, at {}", name(a), name(b),
                                 place_text(problem.coordinates, x)),
                     "", "cut one of them back: \"a - b\""});
}

void Partition::fail_gap(std::span<const double> x, const Problem& problem) const {
  throw ConfigError(
      {fmt::format("no region of {} holds {}", listed(names()), place_text(problem.coordinates, x)),
       "", "cover all of the domain; what is left is \"box - a\""});
}

void Partition::check_point(std::span<const double> x, const Problem& problem) const {
  std::vector<std::size_t> within;
  double least = INFINITY;
  for (std::size_t i = 0; i < size(); ++i) {
    const double b = beyond(i, x);
    least = std::min(least, b);
    if (b < -near_) within.push_back(i);
  }
  if (within.size() > 1) fail_overlap(within[0], within[1], x, problem);
  if (least > near_) fail_gap(x, problem);
}

bool Partition::knows_distance(std::size_t region, std::span<const double> x) const {
  const NamedRegion& r = regions_[region];
  return r.slab || r.shape.at(x)->distance_kind() != DistanceKind::none;
}

/// Checks that another region begins where one ends: however thin a gap is, its sides are borders.
void Partition::check_border(std::size_t region, std::span<const double> x,
                             const Problem& problem) const {
  const double own = beyond(region, x);
  double least = INFINITY;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!knows_distance(i, x)) return;
    if (i == region) continue;
    const double both = own + beyond(i, x);
    if (both < -near_) fail_overlap(std::min(region, i), std::max(region, i), x, problem);
    least = std::min(least, both);
  }
  if (least > near_) fail_gap(x, problem);
}

/// Borders of a region within the domain, as far as they are known.
std::vector<std::shared_ptr<const Region>> Partition::borders(std::size_t region,
                                                              const Problem& problem) const {
  std::vector<std::shared_ptr<const Region>> all;
  const NamedRegion& r = regions_[region];
  if (r.slab) {
    const Coordinate& c = problem.coordinates[std::size_t(r.slab->coordinate)];
    for (const double end : {r.slab->interval.lower, r.slab->interval.upper})
      if (end > c.lower && end < c.upper)
        all.push_back(interior(problem)->with(r.slab->coordinate, {end, end}));
    return all;
  }
  const Text surface{fmt::format("surface({})", r.name), {}, false};
  try {
    all.push_back(parse_region({surface}, problem));
  } catch (const ConfigError&) {  // it has none within the domain, or none that is known
  }
  return all;
}

void Partition::check(const Problem& problem) const {
  visit_points(*interior(problem), points_of_domain,
               [&](std::span<const double> x) { check_point(x, problem); });
  for (const std::string& one : names()) {
    std::shared_ptr<const Region> region;
    try {
      region = parse_region({Text{one, {}, false}}, problem);
    } catch (const ConfigError&) {
      throw ConfigError({fmt::format("nothing of the domain lies in the region '{}'", one), "",
                         "leave it out, or move it: pinn-train --check tells of every region how "
                         "large it is"});
    }
    visit_points(*region, points_of_region,
                 [&](std::span<const double> x) { check_point(x, problem); });
  }
  for (std::size_t i = 0; i < size(); ++i)
    for (const auto& border : borders(i, problem))
      visit_points(*border, points_of_border, [&](std::span<const double> x) {
        if (is_within(*border, x, problem)) check_border(i, x, problem);
      });
}

}  // namespace pinn
