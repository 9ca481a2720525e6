// Coordinates, sides and points of a problem.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/cut.h"
#include "solvers/problem/problem.h"

namespace pinn {

std::vector<std::string> coordinate_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const Coordinate& c : problem.coordinates) names.push_back(c.name);
  return names;
}

std::vector<int> space_coordinates(const Problem& problem) {
  std::vector<int> space;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c)
    if (problem.coordinates[c].role == Role::space) space.push_back(int(c));
  return space;
}

double longest_side(const Problem& problem) {
  double size = 0;
  for (const int c : space_coordinates(problem)) {
    const Coordinate& x = problem.coordinates[std::size_t(c)];
    size = std::max(size, x.upper - x.lower);
  }
  return size;
}

std::string place_text(const std::vector<Coordinate>& coordinates, std::span<const double> x) {
  constexpr std::size_t few = 6;  // of many
  std::string text;
  for (std::size_t c = 0; c < x.size(); ++c) {
    if (c == few && x.size() > 2 * few) return text + fmt::format(", ... ({} in all)", x.size());
    const Coordinate& along = coordinates[c];
    const double nothing = 1e-9 * (along.upper - along.lower);
    text += fmt::format("{}{} = {:.4g}", c == 0 ? "" : ", ", along.name,
                        std::fabs(x[c]) < nothing ? 0 : x[c]);
  }
  return text;
}

bool in_domain(const Problem& problem, std::span<const double> x) {
  if (!problem.domain) return true;
  return nearly_inside(*problem.domain.at(x), place_of(x, space_coordinates(problem)));
}

}  // namespace pinn
