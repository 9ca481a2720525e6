// Values and derivatives known where a coordinate has one value: at an end of it, or within.
#include <algorithm>
#include <cmath>
#include <set>

#include "solvers/problem/checks.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

/// Values of a coordinate at which parts of a region are slices of the domain across it.
std::vector<double> slices(const Region& region, int coordinate, double tolerance) {
  const std::size_t c = std::size_t(coordinate);
  std::vector<double> places;
  for (const Region* part : region.parts()) {
    if (part->dimension() != part->coordinates() - 1) continue;
    const auto points = some_points(*part);
    if (points.empty()) continue;
    const double first = points[0][c];
    if (std::ranges::all_of(points,
                            [&](const auto& x) { return std::fabs(x[c] - first) <= tolerance; }))
      places.push_back(first);
  }
  return places;
}

/// A derivative that is known where a coordinate has a value.
struct Fact {
  double place;
  int order;
};

std::vector<Fact> facts(const Problem& problem, const FieldUses& uses, int coordinate, int field,
                        double tolerance) {
  const int order = uses.highest_order(coordinate, field);
  const Coordinate& along = problem.coordinates[std::size_t(coordinate)];
  std::vector<Fact> all;
  for (const bool upper : {false, true})
    for (int k = 0; k < order; ++k)
      if (decides(problem, std::size_t(field), *face(problem, coordinate, upper), coordinate, k))
        all.push_back({upper ? along.upper : along.lower, k});
  for (const FieldUses::Use& use : uses.of(field)) {
    const Requirement& r = *use.requirement;
    if (!r.region || r.periodic || use.of_integrals || use.orders.empty()) continue;
    for (const double place : slices(*r.region, coordinate, tolerance))
      all.push_back({place, use.highest_order(coordinate)});
  }
  return all;
}

}  // namespace

bool is_carried(const Problem& problem, const FieldUses& uses, int coordinate, int field) {
  const Coordinate& along = problem.coordinates[std::size_t(coordinate)];
  const double tolerance = 1e-12 * (along.upper - along.lower);
  const int order = uses.highest_order(coordinate, field);
  const std::vector<Fact> all = facts(problem, uses, coordinate, field, tolerance);
  return order == 0 || std::ranges::any_of(all, [&](const Fact& at) {
           std::set<int> known;
           for (const Fact& fact : all)
             if (std::fabs(fact.place - at.place) <= tolerance) known.insert(fact.order);
           return int(known.size()) >= order;
         });
}

bool is_carried(const Problem& problem, const FieldUses& uses, int coordinate) {
  bool alone = true;
  for (int c = 0; c < int(problem.coordinates.size()); ++c)
    alone = alone && (c == coordinate || uses.highest_order(c) == 0);
  const bool time = problem.coordinates[std::size_t(coordinate)].role == Role::time;
  if (!time && !alone && uses.highest_order(coordinate) > 1) return false;
  for (int f = 0; f < int(problem.fields.size()); ++f)
    if (!is_carried(problem, uses, coordinate, f)) return false;
  return true;
}

}  // namespace pinn
