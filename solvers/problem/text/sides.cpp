#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "data/geometry/measure.h"
#include "solvers/problem/pieces.h"

namespace pinn {
namespace {

constexpr int points_of_part = 200, candidates = 20'000;
constexpr double step = 1e-6;  ///< of the sides of the domain

/// The direction in which a region is crossed at x: its normal, or a coordinate that it fixes
/// within the domain. Nothing where there is none.
std::optional<std::vector<double>> direction(const Region& part, std::span<const double> x,
                                             const Problem& problem) {
  std::vector<double> n(x.size(), 0.0);
  if (part.has_normal()) {
    part.normal(x, n);
    return n;
  }
  const std::vector<Interval> box = part.bounds();
  int found = -1;
  for (std::size_t c = 0; c < box.size(); ++c) {
    const Coordinate& whole = problem.coordinates[c];
    if (!box[c].fixed() || box[c].lower <= whole.lower || box[c].lower >= whole.upper) continue;
    if (found >= 0) return {};
    found = int(c);
  }
  if (found < 0) return {};
  n[std::size_t(found)] = 1;
  return n;
}

/// The places before and behind x; nothing where one is beyond the domain.
std::optional<std::pair<std::vector<double>, std::vector<double>>> both_sides(
    const Region& part, std::span<const double> x, const Problem& problem) {
  const auto n = direction(part, x, problem);
  if (!n) return {};
  std::vector<double> before(x.begin(), x.end()), behind = before;
  double side = 0;
  for (std::size_t c = 0; c < x.size(); ++c)
    if ((*n)[c] != 0)
      side = std::max(side, problem.coordinates[c].upper - problem.coordinates[c].lower);
  for (std::size_t c = 0; c < x.size(); ++c) {
    before[c] -= step * side * (*n)[c];
    behind[c] += step * side * (*n)[c];
    const Coordinate& whole = problem.coordinates[c];
    for (const double at : {before[c], behind[c]})
      if (at < whole.lower || at > whole.upper) return {};
  }
  if (!in_domain(problem, before) || !in_domain(problem, behind)) return {};
  return std::pair{before, behind};
}

/// Sides of the points of a region, for one partition.
struct Found {
  std::optional<Sides> first;
  bool mixed = false;

  void add(const Sides& s) {
    if (!first) first = s;
    mixed = mixed || first->from != s.from || first->to != s.to;
  }
};

}  // namespace

std::vector<Sides> sides_of(const Region& region, const Problem& problem,
                            const std::vector<int>& asked) {
  if (!problem.pieces) return {};
  const std::vector<PartitionPtr>& partitions = problem.pieces->partitions;
  std::vector<Found> found(partitions.size());
  for (const Region* part : region.parts()) {
    for (const std::vector<double>& x : spread_points(*part, points_of_part, candidates)) {
      const auto places = both_sides(*part, x, problem);
      for (std::size_t p = 0; p < partitions.size(); ++p) {
        const Sides sides =
            places ? Sides{partitions[p]->at(places->first), partitions[p]->at(places->second)}
                   : Sides{};
        found[p].add(sides.from == sides.to ? Sides{} : sides);
      }
    }
  }
  std::vector<Sides> all;
  for (std::size_t p = 0; p < found.size(); ++p) {
    const bool matters = std::ranges::find(asked, int(p)) != asked.end();
    if (found[p].mixed && matters)
      throw ConfigError(
          {fmt::format(
               "a part of this lies between pieces of {}, and the rest does not, or between "
               "others",
               listed(partitions[p]->names())),
           "", "write a condition for each interface(A, B)"});
    all.push_back(found[p].mixed ? Sides{} : found[p].first.value_or(Sides{}));
  }
  return all;
}

}  // namespace pinn
