// Faces of the domain that a condition is asked on, all of one.
#include <fmt/format.h>

#include <algorithm>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/parse.h"

namespace pinn::hard {
namespace {

constexpr int face_points = 1000, most_draws = 200'000;

/// True if a region holds all points of a face of the box that belong to a piece, and that a domain
/// which is no box has there.
bool holds_face(const Problem& problem, const Region& region, int c, bool upper,
                const Belongs& belongs) {
  std::size_t count = 0;
  for (const std::vector<double>& x :
       spread_points(*face(problem, c, upper), face_points, most_draws)) {
    if (!in_domain(problem, x) || (belongs && !belongs(x))) continue;
    ++count;
    if (!region.inside(x, 1e-9)) return false;
  }
  return count > 0;
}

}  // namespace

std::string face_text(const Problem& problem, int coordinate, bool upper) {
  return fmt::format("{} = {:g}", problem.coordinates[std::size_t(coordinate)].name,
                     end_of(problem, coordinate, upper));
}

double end_of(const Problem& problem, int coordinate, bool upper) {
  const Coordinate& c = problem.coordinates[std::size_t(coordinate)];
  return upper ? c.upper : c.lower;
}

bool holds_any(const Region& part, const Belongs& belongs) {
  return std::ranges::any_of(spread_points(part, face_points, most_draws), belongs);
}

std::optional<End> whole_face(const Problem& problem, const Region& region, const Region& part,
                              const Belongs& belongs) {
  const std::size_t d = problem.coordinates.size();
  for (int c = 0; c < int(d); ++c)
    for (const bool upper : {false, true}) {
      if (!lies_in_face(part, problem, c, upper)) continue;
      if (problem.domain || belongs) {
        if (!holds_face(problem, region, c, upper, belongs)) return {};
        return End{c, upper};
      }
      for (const std::vector<bool>& corner : some_corners(d)) {
        std::vector<double> x(d);
        for (std::size_t k = 0; k < d; ++k)
          x[k] = end_of(problem, int(k), int(k) == c ? upper : corner[k]);
        if (!part.inside(x, 0)) return {};
      }
      return End{c, upper};
    }
  return {};
}

}  // namespace pinn::hard
