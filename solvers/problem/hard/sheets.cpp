// Values on surfaces, held against each other where these meet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/measure.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/smoothness/places.h"

namespace pinn::hard {
namespace {

using Kind = Expression::Kind;
using smoothness::Function;
using smoothness::lowest;
using smoothness::Point;

constexpr double meeting = 1e-7;    ///< of the domain's longest side, between surfaces that meet
constexpr double tolerance = 1e-5;  ///< between values where they meet, which is found to `meeting`

/// A value on a surface or a face of space, and a function that is 0 there.
struct Side {
  std::size_t of;
  int field;
  ExpressionPtr value, function;
};

std::vector<Side> sides(const Problem& problem, const Surfaces& surfaces,
                        const std::vector<ConditionForm>& asked) {
  std::vector<Side> all;
  for (const ConditionForm& a : asked) {
    if (!a.why.empty()) continue;
    for (const Sheet& s : a.sheets)
      all.push_back({s.of, s.field, s.value, surfaces.all()[s.surface].function});
    for (const Piece& p : a.pieces) {
      if (problem.coordinates[std::size_t(p.coordinate)].role != Role::space || p.order > 0)
        continue;
      const Formula x(make_leaf(Kind::coordinate, p.coordinate));
      const Formula across = x - Formula(end_of(problem, p.coordinate, p.upper));
      all.push_back({p.of, p.field, p.value, across.e});
    }
  }
  return all;
}

/// Point where two sides meet on the boundary and their values differ most; value 0 if none was
/// found.
Furthest apart(const Problem& problem, const Region& boundary, const Side& a, const Side& b,
               const std::vector<Point>& points, double size) {
  const Formula both = power(Formula(a.function), 2) + power(Formula(b.function), 2);
  const Evaluator zero(*both.e), one(*a.value), other(*b.value);
  Furthest far;
  const Function f = [&](const Point& x) { return zero({.coordinates = x}); };
  for (const Point& x : lowest(problem, f, points)) {
    if (!(f(x) <= meeting * meeting) || !boundary.inside(x, 2 * meeting * size)) continue;
    const double v = one({.coordinates = x}), w = other({.coordinates = x});
    const double off = std::fabs(v - w);
    if (off <= tolerance * std::max({1.0, std::fabs(v), std::fabs(w)}) || off <= far.value)
      continue;
    far = {off, x};
  }
  return far;
}

}  // namespace

void settle_sheets(const Problem& problem, const Surfaces& surfaces,
                   std::vector<ConditionForm>& asked) {
  if (!problem.domain) return;
  const double size = longest_side(problem);
  const auto boundary = parse_region({{"boundary", {}, false}}, problem);
  std::vector<Point> points;
  for (const Region* part : boundary->parts())
    for (Point& x : spread_points(*part, 500, 100'000)) points.push_back(std::move(x));
  const std::vector<Side> all = sides(problem, surfaces, asked);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const Side &a = all[i], &b = all[j];
      if (a.of == b.of || a.field != b.field) continue;
      const Furthest far = apart(problem, *boundary, a, b, points, size);
      if (far.value == 0) continue;
      for (const auto& [mine, other] : {std::pair(a.of, b.of), std::pair(b.of, a.of)})
        if (asked[mine].why.empty())
          asked[mine].why = fmt::format("it disagrees with {} at {}, by {:.3g}", asked[other].name,
                                        place_text(problem.coordinates, far.at), far.value);
    }
}

}  // namespace pinn::hard
