// Values of conditions that may not be carried through the domain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/checks.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/smoothness.h"

namespace pinn::hard {
namespace {

/// A corner of the domain on the face of a piece where the piece has no value.
std::optional<std::vector<double>> undefined_at(const Problem& problem, const Piece& piece) {
  const Evaluator value(*piece.value);
  const std::size_t d = problem.coordinates.size();
  for (const std::vector<bool>& corner : some_corners(d)) {
    std::vector<double> x(d);
    for (std::size_t c = 0; c < d; ++c) x[c] = end_of(problem, int(c), corner[c]);
    x[std::size_t(piece.coordinate)] = end_of(problem, piece.coordinate, piece.upper);
    if (in_domain(problem, x) && !std::isfinite(value({.coordinates = x}))) return x;
  }
  return {};
}

}  // namespace

void settle_smooth(const Problem& problem, std::vector<ConditionForm>& asked) {
  const Smoothness smoothness(problem);
  const FieldUses uses(problem);
  for (ConditionForm& a : asked) {
    const auto look = [&](int field, const ExpressionPtr& value) {
      if (!a.why.empty()) return;
      const auto rough = smoothness(value, asked_orders(problem, uses, field));
      if (!rough) return;
      a.why = "its value is not as smooth as the equations ask: " + rough_text(problem, *rough);
      a.rough = true;
    };
    for (const Piece& p : a.pieces)
      if (const auto place = undefined_at(problem, p); place && a.why.empty())
        a.why = "its value is undefined at " + place_text(problem.coordinates, *place);
    for (const Piece& p : a.pieces) look(p.field, p.value);
    for (const Sheet& s : a.sheets) look(s.field, s.value);
  }
}

}  // namespace pinn::hard
