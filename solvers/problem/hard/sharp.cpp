// Values that are concentrated in a small part of the domain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/needs.h"

namespace pinn::hard {
namespace {

/// Below this part of the domain the form of a field is worth less than a term of the loss: G
/// carries a pulse through the whole domain, and the network has to take it back wherever the
/// solution does not have it. Where the equations are of first order along the coordinate nothing
/// blurs it on its way.
constexpr double small_part = 0.12, small_part_of_transport = 0.3;
constexpr double negligible = 1e-3;  ///< beside the largest value of the field
constexpr int points_in_one = 2000, points_in_more = 20'000;

/// The share of a face in which a derivative of a value is concentrated: (mean |g|)^2 / mean g^2,
/// which is 1 for a constant, 0.8 for a wave, and 3.2 w for the slope of exp(-(x/w)^2) in [0, 1].
double concentration(const Problem& problem, const Piece& piece, int along, int dimensions) {
  const Evaluator slope(*differentiate(piece.value, along));
  SpreadPoints points(int(problem.coordinates.size()));
  double sum = 0, squares = 0, count = 0;
  for (int k = 0; k < (dimensions == 1 ? points_in_one : points_in_more); ++k) {
    std::vector<double> x;
    for (const double share : points.next()) {
      const Coordinate& c = problem.coordinates[x.size()];
      x.push_back(c.lower + share * (c.upper - c.lower));
    }
    x[std::size_t(piece.coordinate)] = end_of(problem, piece.coordinate, piece.upper);
    const double g = std::fabs(slope({.coordinates = x}));
    if (!std::isfinite(g)) continue;
    sum += g, squares += g * g, ++count;
  }
  return squares > 0 ? sum * sum / (count * squares) : 1;
}

/// The coordinates that a value changes with.
std::vector<int> changes_along(const Problem& problem, const Piece& piece) {
  std::vector<int> all;
  const Dependence on = dependence(*piece.value);
  for (int c = 0; c < int(problem.coordinates.size()); ++c)
    if (on.on(c) && problem.coordinates[std::size_t(c)].role != Role::parameter) all.push_back(c);
  return all;
}

/// A coordinate along which a value changes in so small a share of the domain that it is a pulse.
struct Pulse {
  int along = 0;
  double share = 1;
};
std::optional<Pulse> pulse(const Problem& problem, const FieldUses& uses, const Piece& piece) {
  const std::vector<int> along = changes_along(problem, piece);
  const int dimensions = int(along.size());
  for (const int c : along) {
    const double share =
        std::pow(concentration(problem, piece, c, dimensions), 1.0 / double(dimensions));
    const bool transport = uses.highest_order(c, piece.field) == 1;
    if (share < (transport ? small_part_of_transport : small_part)) return Pulse{c, share};
  }
  return {};
}

double size_of(const Problem& problem, const Piece& p) {
  return furthest(problem, {{p.coordinate, p.upper}}, p.value).value;
}

}  // namespace

void settle_sharp(const Problem& problem, std::vector<ConditionForm>& asked) {
  const FieldUses uses(problem);
  std::vector<double> largest(problem.fields.size());
  for (const ConditionForm& a : asked)
    for (const Piece& p : a.pieces)
      largest[std::size_t(p.field)] = std::max(largest[std::size_t(p.field)], size_of(problem, p));
  for (ConditionForm& a : asked)
    for (const Piece& p : a.pieces) {
      const bool counts = size_of(problem, p) > negligible * largest[std::size_t(p.field)];
      const auto found =
          counts && (a.why.empty() || a.rough) ? pulse(problem, uses, p) : std::nullopt;
      if (!found) continue;
      if (a.why.empty())
        a.why = fmt::format(
            "its value changes along {} in {:.2g} of the domain only: a network follows such a "
            "pulse better than the form of a field, which carries it through all of it",
            problem.coordinates[std::size_t(found->along)].name, found->share);
      a.rough = false;
    }
}

}  // namespace pinn::hard
