#include "solvers/problem/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

bool is_periodic_along(const Problem& problem, int coordinate) {
  return (std::size_t(coordinate) < problem.periodic.size() &&
          problem.periodic[std::size_t(coordinate)]) ||
         std::ranges::any_of(problem.requirements, [&](const Requirement& r) {
           return r.periodic && r.periodic->coordinate == coordinate;
         });
}

/// True where data about the field or the end of time may take the place of a start.
bool known_otherwise(const Problem& problem, const FieldUses& uses, int field, int time) {
  return std::ranges::any_of(uses.of(field), [&](const FieldUses::Use& use) {
    const Requirement& r = *use.requirement;
    const bool at_end = !r.periodic && r.region && lies_in_face(*r.region, problem, time, true);
    return (r.data || at_end) && !use.orders.empty();
  });
}

bool known_at_start(const Problem& problem, const FieldUses& uses, int field, int time, int order) {
  if (decides(problem, std::size_t(field), *face(problem, time, false), time, order)) return true;
  return std::ranges::any_of(uses.of(field), [&](const FieldUses::Use& use) {
    const Requirement& r = *use.requirement;
    const bool asks = std::ranges::any_of(
        use.orders, [&](const MultiIndex& index) { return index[std::size_t(time)] == order; });
    return asks && r.region && !r.periodic && !use.of_integrals &&
           lies_in_face(*r.region, problem, time, false);
  });
}

std::string derivative_name(const std::string& field, const std::string& coordinate, int order) {
  std::string name = field + "_";
  for (int i = 0; i < order; ++i) name += coordinate;
  return name;
}

}  // namespace

Warnings missing_velocities(const Problem& problem) {
  Warnings warnings;
  const FieldUses uses(problem);
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const Coordinate& t = problem.coordinates[c];
    if (t.role != Role::time || is_periodic_along(problem, int(c))) continue;
    for (std::size_t f = 0; f < problem.fields.size(); ++f) {
      const int highest = uses.highest_order(int(c), int(f));
      if (highest < 2 || known_otherwise(problem, uses, int(f), int(c))) continue;
      if (is_carried(problem, uses, int(c), int(f))) continue;
      int order = 1;
      while (order < highest && known_at_start(problem, uses, int(f), int(c), order)) ++order;
      if (order == highest) continue;
      const std::string missing = derivative_name(problem.fields[f].name, t.name, order);
      warnings.push_back(
          {fmt::format("the equations have {}, but nothing says what {} is at {} = {}",
                       derivative_name(problem.fields[f].name, t.name, highest), missing, t.name,
                       t.lower),
           "the conditions",
           fmt::format("add a [[condition]] with on = \"{} = {}\" and residual = \"{} = 0\", or "
                       "what it is there",
                       t.name, t.lower, missing)});
    }
  }
  return warnings;
}

namespace {

/// How many residuals, and derivatives that a hard constraint decides, hold a field at a face.
int holds(const Problem& problem, const FieldUses& uses, int field, int coordinate, bool upper,
          int order) {
  int count = 0;
  for (int k = 0; k < order; ++k)
    count += decides(problem, std::size_t(field), *face(problem, coordinate, upper), coordinate, k);
  for (const FieldUses::Use& use : uses.of(field)) {
    const Requirement& r = *use.requirement;
    count += use.residual && !use.orders.empty() && r.region && !use.of_integrals &&
             lies_in_face(*r.region, problem, coordinate, upper);
  }
  return count;
}

bool has_periodic_or_data(const Problem& problem, int coordinate) {
  if (std::size_t(coordinate) < problem.periodic.size() &&
      problem.periodic[std::size_t(coordinate)])
    return true;
  return std::any_of(problem.requirements.begin(), problem.requirements.end(),
                     [](const Requirement& r) { return r.periodic || r.data; });
}

}  // namespace

Warnings half_held_faces(const Problem& problem) {
  Warnings warnings;
  const FieldUses uses(problem);
  for (int c = 0; c < int(problem.coordinates.size()); ++c)
    for (int f = 0; f < int(problem.fields.size()); ++f) {
      const Coordinate& x = problem.coordinates[std::size_t(c)];
      const int order = uses.highest_order(c, f);
      if (x.role != Role::space || order < 4 || order % 2 || has_periodic_or_data(problem, c))
        continue;
      const std::string& name = problem.fields[std::size_t(f)].name;
      for (const bool upper : {false, true})
        if (const int held = holds(problem, uses, f, c, upper, order); held > 0 && held < order / 2)
          warnings.push_back(
              {fmt::format("the equations have {}, which takes {} conditions on a face, and {} = "
                           "{} has {}",
                           derivative_name(name, x.name, order), order / 2, x.name,
                           upper ? x.upper : x.lower, held),
               "the conditions",
               fmt::format("add what else is known of {} there, such as {} = 0 or {} = 0", name,
                           derivative_name(name, x.name, 1), derivative_name(name, x.name, 2))});
    }
  return warnings;
}

namespace {

/// True if a coordinate has a usual name of time. T and tau name temperatures and optical depths,
/// too.
bool is_called_time(const Coordinate& c) {
  static constexpr std::array names = {"time", "Time", "TIME"};
  return std::find(names.begin(), names.end(), c.name) != names.end();
}
bool may_be_called_time(const Coordinate& c) {
  static constexpr std::array names = {"T", "tau", "Tau"};
  return std::find(names.begin(), names.end(), c.name) != names.end();
}

/// True if the equations carry something along the coordinate from a condition at its lower end:
/// they have its first derivative alone, and others by another coordinate.
bool evolves_along(const Problem& problem, int coordinate) {
  if (highest_order(problem, coordinate) != 1) return false;
  bool elsewhere = false, starts_there = false;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c)
    elsewhere = elsewhere || (int(c) != coordinate && highest_order(problem, int(c)) > 0);
  for (const Requirement& r : problem.requirements)
    starts_there = starts_there ||
                   (r.region && !r.periodic && lies_in_face(*r.region, problem, coordinate, false));
  for (std::size_t f = 0; f < problem.fields.size(); ++f)
    starts_there = starts_there || decides(problem, f, *face(problem, coordinate, false));
  return elsewhere && starts_there;
}

}  // namespace

Warnings times_in_space(const Problem& problem) {
  Warnings warnings;
  for (const Coordinate& c : problem.coordinates)
    if (c.role == Role::time) return warnings;
  for (std::size_t i = 0; i < problem.coordinates.size(); ++i) {
    const Coordinate& c = problem.coordinates[i];
    if (c.role != Role::space || c.role_written) continue;
    const bool looks = (is_called_time(c) && highest_order(problem, int(i)) > 0) ||
                       (may_be_called_time(c) && evolves_along(problem, int(i)));
    if (!looks) continue;
    warnings.push_back(
        {fmt::format("'{}' looks like time but counts as space: its ends are part of `boundary`, "
                     "and `laplacian` and `u_n` take it in",
                     c.name),
         "problem.coordinates." + c.name,
         fmt::format(
             "write {} = {{ range = [{}, {}], role = \"time\" }}, or role = \"space\" if it "
             "is none",
             c.name, c.lower, c.upper)});
  }
  return warnings;
}

}  // namespace pinn
