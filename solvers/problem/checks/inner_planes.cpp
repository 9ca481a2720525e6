// Conditions within a domain that leave a smooth solution no room.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/checks.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

bool holds_fields(const Residual& residual) { return dependence(*residual.expression).fields; }

/// The place of a requirement that is asked on a whole plane of a coordinate within its interval.
bool is_inner_plane(const Problem& problem, const Requirement& r, std::size_t coordinate,
                    double& place) {
  if (r.kind != Requirement::Kind::condition || r.periodic || is_integral(r) || !r.region)
    return false;
  const auto parts = r.region->parts();
  if (parts.size() != 1) return false;
  const auto bounds = parts[0]->bounds();
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    const Coordinate& k = problem.coordinates[c];
    const double tolerance = 1e-12 * (k.upper - k.lower);
    const bool whole =
        bounds[c].lower <= k.lower + tolerance && bounds[c].upper >= k.upper - tolerance;
    if (c != coordinate && !whole) return false;
  }
  const Coordinate& along = problem.coordinates[coordinate];
  const double edge = 1e-9 * (along.upper - along.lower);
  place = bounds[coordinate].lower;
  return bounds[coordinate].fixed() && place > along.lower + edge && place < along.upper - edge;
}

/// All that the fields may be asked for along a coordinate: the orders of the equations.
int room_along(const Problem& problem, const FieldUses& uses, int coordinate) {
  int room = 0;
  for (int f = 0; f < int(problem.fields.size()); ++f) room += uses.highest_order(coordinate, f);
  return room;
}

/// Residuals and hard constraints at the two ends of a coordinate.
int asked_at_ends(const Problem& problem, const FieldUses& uses, int coordinate) {
  const std::vector<std::string> exact = exact_residuals(problem);
  int count = 0;
  for (const bool upper : {false, true}) {
    const auto end = face(problem, coordinate, upper);
    for (int f = 0; f < int(problem.fields.size()); ++f)
      for (int k = 0; k < uses.highest_order(coordinate, f); ++k)
        count += decides(problem, std::size_t(f), *end, coordinate, k);
    for (const Requirement& r : problem.requirements)
      if (r.region && !r.periodic && !is_integral(r) &&
          lies_in_face(*r.region, problem, coordinate, upper))
        count += int(std::ranges::count_if(r.residuals, [&](const Residual& residual) {
          return holds_fields(residual) && std::ranges::count(exact, residual.name) == 0;
        }));
  }
  return count;
}

bool is_periodic_or_measured(const Problem& problem, int coordinate) {
  return problem.periodic[std::size_t(coordinate)] ||
         std::ranges::any_of(problem.requirements, [&](const Requirement& r) {
           return r.data || (r.periodic && r.periodic->coordinate == coordinate);
         });
}

/// True where the fields would be left open without a requirement.
bool pins(const Problem& problem, const Requirement& asked) {
  Problem without = problem;
  std::erase_if(without.requirements, [&](const Requirement& r) { return r.name == asked.name; });
  return !gauge_modes(without).empty();
}

/// Derivatives that go on across, so that both sides have as much as they take.
std::string going_on(const Problem& problem, const FieldUses& uses, const Requirement& r,
                     int coordinate, int count) {
  std::string text;
  for (int f = 0; f < int(problem.fields.size()) && count > 0; ++f) {
    const bool asked = std::ranges::any_of(uses.of(f), [&](const FieldUses::Use& use) {
      return use.requirement == &r && !use.orders.empty();
    });
    for (int k = 1; asked && k < uses.highest_order(coordinate, f) && count > 0; ++k, --count)
      text += fmt::format(", \"jump({}) = 0\"", derivative_text(problem, f, coordinate, k));
  }
  return text;
}

std::string pieces_at(const Problem& problem, const FieldUses& uses, const Requirement& r,
                      int coordinate, double place, int left_open) {
  std::vector<std::string> fields;
  for (const Field& field : problem.fields) fields.push_back(field.name);
  std::string residuals;
  for (const Residual& residual : r.residuals)
    for (const char* side : {"low", "high"})
      residuals += fmt::format("{}\"side({}, {}) = 0\"", residuals.empty() ? "" : ", ",
                               print(*residual.expression, Scope{problem}), side);
  return fmt::format(
      "give each side networks of its own: in place of the list of fields {}; ask '{}' of both "
      "sides, on = \"{} = {:.6g}\" with residual = [{}{}]; and write two [[network]], of name = "
      "\"low\" and \"high\"",
      halves_text(problem, fields, coordinate, place), r.name,
      problem.coordinates[std::size_t(coordinate)].name, place, residuals,
      going_on(problem, uses, r, coordinate, left_open));
}

}  // namespace

Warnings crowded_planes(const Problem& problem) {
  Warnings warnings;
  if (problem.pieces || !problem.unknowns.empty()) return warnings;
  const FieldUses uses(problem);
  for (int c = 0; c < int(problem.coordinates.size()); ++c) {
    const Coordinate& along = problem.coordinates[std::size_t(c)];
    if (along.role != Role::space || is_periodic_or_measured(problem, c)) continue;
    for (const Requirement& r : problem.requirements) {
      double place = 0;
      if (!is_inner_plane(problem, r, std::size_t(c), place)) continue;
      const int room = room_along(problem, uses, c), ends = asked_at_ends(problem, uses, c);
      const int within = int(std::ranges::count_if(r.residuals, holds_fields));
      if (room == 0 || within == 0 || ends + within <= room || pins(problem, r)) continue;
      warnings.push_back(report(
          r.residuals[0].text, {0, r.residuals[0].text.value.size()},
          fmt::format("'{}' asks for {} at {} = {:g}, within the domain, where the ends of {} are "
                      "asked for {} already and the equations take {}: the fields or their "
                      "derivatives jump there, and a network does not",
                      r.name, within, along.name, place, along.name, ends, room),
          pieces_at(problem, uses, r, c, place, std::max(0, 2 * room - ends - 2 * within))));
    }
  }
  return warnings;
}

}  // namespace pinn
