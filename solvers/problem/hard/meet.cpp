// Checks that conditions agree where their faces meet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard/pieces.h"

namespace pinn::hard {
namespace {

constexpr double smallest_size = 1e-6;  ///< of its field's scale: what is less is noise
constexpr int tries = 1000;             ///< points of an edge; its corners are tried as well

/// A piece as it says something on the face of another: its derivative across that face, there.
ExpressionPtr seen_from(const Problem& problem, const Piece& of, const Piece& from) {
  ExpressionPtr value = of.value;
  for (int k = 0; k < from.order; ++k) value = differentiate(value, from.coordinate);
  return held(value, from.coordinate, end_of(problem, from.coordinate, from.upper));
}

/// How large a derivative of what a piece gives is over its face: as it is, or as the values and
/// the lower derivatives would let it be that vary over the whole length of the coordinate. What
/// passes through 0 where faces meet, as every other derivative of a wave does, is no smaller
/// there.
double size_of(const Problem& problem, const Piece& p, int coordinate, int order) {
  const Coordinate& along = problem.coordinates[std::size_t(coordinate)];
  ExpressionPtr derivative = p.value;
  double size = 0;
  for (int k = 0; k <= order; ++k) {
    if (k > 0) derivative = differentiate(derivative, coordinate);
    const double now = furthest(problem, {{p.coordinate, p.upper}}, derivative).value;
    size /= along.upper - along.lower;
    if (std::isfinite(now)) size = std::max(size, now);
  }
  return size;
}

/// Largest difference of two formulas of a field on an edge of the domain, and its place; value 0
/// if it is within rounding of their size, which is asked for only where they differ.
template <class Size>
Furthest difference(const Problem& problem, int field, const std::vector<End>& edge,
                    const ExpressionPtr& a, const ExpressionPtr& b, const Size& size) {
  const double noise = smallest_size * problem.fields[std::size_t(field)].scale;
  Furthest far = furthest(problem, edge, (Formula(a) - Formula(b)).e);
  if (far.value <= meeting_tolerance * noise || far.value <= meeting_tolerance * size())
    far.value = 0;
  return far;
}

/// Conflict of two pieces of one field, in words; empty if they agree.
std::string clash(const Problem& problem, const Piece& p, const Piece& q,
                  const std::string& other) {
  std::vector<End> edge{{p.coordinate, p.upper}};
  ExpressionPtr a = p.value, b = q.value;
  if (p.coordinate == q.coordinate) {
    if (p.upper != q.upper || p.order != q.order) return {};
  } else {
    edge.push_back({q.coordinate, q.upper});
    a = seen_from(problem, p, q);
    b = seen_from(problem, q, p);
  }
  const bool one_face = p.coordinate == q.coordinate;
  const auto size = [&] {
    return std::max(size_of(problem, p, q.coordinate, one_face ? 0 : q.order),
                    size_of(problem, q, p.coordinate, one_face ? 0 : p.order));
  };
  const Furthest far = difference(problem, p.field, edge, a, b, size);
  if (far.value == 0) return {};
  return fmt::format("it disagrees with {} at {}, by {:.3g}", other,
                     place_text(problem.coordinates, far.at), far.value);
}

/// The same for a piece and a field that is periodic in a coordinate.
std::string clash(const Problem& problem, const Piece& p, int coordinate, int order) {
  if (coordinate == p.coordinate) return "the face is none, since the field is periodic across it";
  ExpressionPtr value = p.value;
  for (int k = 0; k <= order; ++k) {
    const auto end = [&](bool upper) {
      return held(value, coordinate, end_of(problem, coordinate, upper));
    };
    const std::vector<End> edge{{p.coordinate, p.upper}, {coordinate, false}};
    const auto size = [&] { return size_of(problem, p, coordinate, k); };
    const Furthest far = difference(problem, p.field, edge, end(false), end(true), size);
    if (far.value > 0)
      return fmt::format("{} is periodic, and its {} differs at the two ends by {:.3g}",
                         problem.coordinates[std::size_t(coordinate)].name,
                         k == 0 ? "value" : fmt::format("derivative of order {}", k), far.value);
    value = differentiate(value, coordinate);
  }
  return {};
}

void refuse(ConditionForm& asked, const std::string& why) {
  if (asked.why.empty()) asked.why = why;
}

/// A slope needs the values of its face, and none at the opposite one.
void check_slope(const Problem& problem, const Piece& p, std::vector<ConditionForm>& asked) {
  bool value = false, opposite = false;
  for (const ConditionForm& other : asked)
    for (const Piece& q : other.pieces) {
      if (!other.why.empty() || q.field != p.field || q.coordinate != p.coordinate) continue;
      value = value || (q.upper == p.upper && q.order == 0);
      opposite = opposite || q.upper != p.upper;
    }
  const std::string at = face_text(problem, p.coordinate, p.upper);
  if (!value) refuse(asked[p.of], "the value at " + at + " is not exact either");
  if (opposite) refuse(asked[p.of], "the face opposite to " + at + " has a condition, too");
}

/// The steps of Kronecker's sequence: what lies behind the point of the roots of small primes.
std::vector<double> roots_of_primes(std::size_t count) {
  std::vector<double> roots;
  std::vector<int> primes;
  for (int p = 2; roots.size() < count; ++p) {
    if (std::ranges::any_of(primes, [p](int q) { return p % q == 0; })) continue;
    primes.push_back(p);
    roots.push_back(std::fmod(std::sqrt(double(p)), 1.0));
  }
  return roots;
}

}  // namespace

Furthest furthest(const Problem& problem, const std::vector<End>& edge, const ExpressionPtr& f) {
  const Evaluator value(*f);
  const std::size_t d = problem.coordinates.size();
  Furthest far;
  std::vector<double> x(d);
  const auto look = [&](const auto& share) {
    for (std::size_t c = 0; c < d; ++c) {
      const Coordinate& k = problem.coordinates[c];
      x[c] = k.lower + (k.upper - k.lower) * share(c);
    }
    for (const End& e : edge) x[std::size_t(e.coordinate)] = end_of(problem, e.coordinate, e.upper);
    const double found = std::fabs(value({.coordinates = x}));
    if (far.at.empty() || !(found <= far.value)) far = {found, x};
  };
  for (const std::vector<bool>& corner : some_corners(d))
    look([&](std::size_t c) { return double(corner[c]); });
  const std::vector<double> steps = roots_of_primes(d);
  for (int k = 1; k <= (edge.size() == d ? 0 : tries); ++k)
    look([&](std::size_t c) { return std::fmod(0.5 + k * steps[c], 1.0); });
  if (std::isnan(far.value)) far.value = INFINITY;
  return far;
}

void settle(const Problem& problem, const std::vector<bool>& periodic,
            const std::vector<int>& periodic_order, std::vector<ConditionForm>& asked) {
  std::vector<Piece> all;
  for (const ConditionForm& a : asked)
    if (a.why.empty()) all.insert(all.end(), a.pieces.begin(), a.pieces.end());
  for (const Piece& p : all)
    for (std::size_t c = 0; c < periodic.size(); ++c)
      if (periodic[c]) refuse(asked[p.of], clash(problem, p, int(c), periodic_order[c]));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const Piece &p = all[i], &q = all[j];
      if (p.field != q.field || (!asked[p.of].why.empty() && !asked[q.of].why.empty())) continue;
      const std::string why = clash(problem, p, q, asked[q.of].name);
      if (why.empty()) continue;
      const bool both = p.order == q.order;  // else the slope gives way
      if (both || p.order > q.order) refuse(asked[p.of], why);
      if (both || q.order > p.order) refuse(asked[q.of], clash(problem, q, p, asked[p.of].name));
    }
  for (const Piece& p : all)
    if (p.order == 1) check_slope(problem, p, asked);
}

}  // namespace pinn::hard
