// Periodic conditions: how many derivatives have to agree at both ends.
#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/checks.h"

namespace pinn {
namespace {

/// "u_xxx": the derivative of the first field that a periodic condition is about.
std::string highest_name(const Problem& problem, const Periodicity& p, int order) {
  const int field = p.fields.empty() ? 0 : p.fields.front();
  std::string name = problem.fields[std::size_t(field)].name + (order > 0 ? "_" : "");
  for (int k = 0; k < order; ++k) name += problem.coordinates[std::size_t(p.coordinate)].name;
  return name;
}

}  // namespace

int order_of_seam(const Problem& problem, int coordinate) {
  return std::max(1, highest_order(problem, coordinate) - 1);
}

Warnings open_seams(const Problem& problem) {
  Warnings warnings;
  for (const Requirement& r : problem.requirements) {
    if (!r.periodic) continue;
    const int c = r.periodic->coordinate, order = r.periodic->order;
    const int highest = highest_order(problem, c);
    if (order + 1 >= highest) continue;
    warnings.push_back(
        {fmt::format("'{}' asks for derivatives up to order {} to agree, and the equations are of "
                     "order {} in {}: {} may jump where its ends meet",
                     r.name, order, highest, problem.coordinates[std::size_t(c)].name,
                     highest_name(problem, *r.periodic, order + 1)),
         r.place.line > 0 ? to_string(r.place) : "the conditions",
         fmt::format("write order = {}, or leave it out", order_of_seam(problem, c))});
  }
  return warnings;
}

std::string seams_text(const Problem& problem) {
  std::string text;
  for (const Requirement& r : problem.requirements)
    if (r.periodic && r.periodic->order > 1)
      text += fmt::format("{}{}: derivatives by {} up to {} agree at both ends",
                          text.empty() ? "" : "\n", r.name,
                          problem.coordinates[std::size_t(r.periodic->coordinate)].name,
                          highest_name(problem, *r.periodic, r.periodic->order));
  return text;
}

}  // namespace pinn
