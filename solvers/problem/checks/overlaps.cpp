#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"

namespace pinn {
namespace {

using Point = std::vector<double>;

constexpr int points_of_part = 200, candidates_of_part = 20'000;
constexpr int points_of_all = 4000;
constexpr std::size_t most_parts = 2000;  ///< of two regions, multiplied: more take too long
constexpr double least_share = 0.01;      ///< of a part: an edge of two faces has none
constexpr double nearness = 1e-9;         ///< of the longest side of the domain
constexpr double same = 1e-6;             ///< as values: more is no rounding of what a user wrote
constexpr int variants = 4;               ///< of the fields

/// Points of two regions, with what each has for a normal there.
struct Shared {
  std::vector<Point> x, normals_a, normals_b;
};

Point normal_at(const Region& region, const Point& x) {
  Point n(x.size(), 0.0);
  if (region.has_normal()) region.normal(x, n);
  return n;
}

/// Evenly spread points of a part of `a` that lie in `b`; none where they share less than an area.
Shared shared(const Region& part, const Region& a, const Region& b, double tolerance) {
  Shared found;
  const int parts = int(a.parts().size());
  const int wanted = std::min(points_of_part, std::max(20, points_of_all / parts));
  const std::vector<Point> points = spread_points(part, wanted, candidates_of_part);
  for (const Point& x : points) {
    if (!b.inside(x, tolerance)) continue;
    found.x.push_back(x);
    found.normals_a.push_back(normal_at(a, x));
    found.normals_b.push_back(normal_at(b, x));
  }
  if (double(found.x.size()) <= least_share * double(points.size())) return {};
  return found;
}

bool may_meet(const Region& a, const Region& b, double tolerance) {
  const std::vector<Interval> of_a = a.bounds(), of_b = b.bounds();
  for (std::size_t c = 0; c < of_a.size(); ++c)
    if (of_a[c].lower > of_b[c].upper + tolerance || of_b[c].lower > of_a[c].upper + tolerance)
      return false;
  return true;
}

/// Values of a residual with any fields in the place of its own: [variant].
class Values {
 public:
  Values(const Problem& problem, const ExpressionPtr& residual) : unknowns_(starts(problem)) {
    for (int v = 0; v < variants; ++v)
      all_.emplace_back(*with_fields(
          residual, [&](int field) { return arbitrary(problem, std::size_t(field), v); }));
  }
  Point at(const Point& x, const Point& normal) const {
    Point values;
    for (const Evaluator& value : all_)
      values.push_back(value({.coordinates = x, .unknowns = unknowns_, .normal = normal}));
    return values;
  }

 private:
  std::vector<double> unknowns_;
  std::vector<Evaluator> all_;
};

/// How far apart, in the first one's unit, two residuals are at a point that ask for one thing
/// there, whatever the fields: one is a multiple of the other, and a number. Nothing where they ask
/// for different things.
std::optional<double> gap(const Point& a, const Point& b) {
  double largest = 0, factor = 0;
  for (int v = 1; v < variants; ++v) {
    const double change = b[std::size_t(v)] - b[0];
    if (std::fabs(change) <= largest) continue;
    largest = std::fabs(change);
    factor = (a[std::size_t(v)] - a[0]) / change;
  }
  if (!(largest > 0) || !(std::fabs(factor) > 1e-9)) return {};
  for (int v = 1; v < variants; ++v)
    if (!(std::fabs(a[std::size_t(v)] - a[0] - factor * (b[std::size_t(v)] - b[0])) <=
          1e-9 * std::fabs(factor) * largest))
      return {};
  return a[0] - factor * b[0];
}

bool is_condition(const Requirement& r) {
  return r.kind == Requirement::Kind::condition && !r.periodic && r.region && !is_integral(r);
}

}  // namespace

std::vector<Overlap> overlaps(const Problem& problem) {
  double size = 0;
  for (const Coordinate& c : problem.coordinates) size = std::max(size, c.upper - c.lower);
  std::vector<Overlap> all;
  const auto compare = [&](const Residual& p, const Residual& q, const Shared& common) {
    if (needs(*p.expression).empty() || needs(*q.expression).empty()) return false;
    const Values of_p(problem, p.expression), of_q(problem, q.expression);
    Overlap found{p.name, q.name, 0, ""};
    for (std::size_t i = 0; i < common.x.size(); ++i) {
      const auto apart =
          gap(of_p.at(common.x[i], common.normals_a[i]), of_q.at(common.x[i], common.normals_b[i]));
      if (!apart) return false;
      if (!found.place.empty() && !(std::fabs(*apart) > std::fabs(found.gap))) continue;
      found.gap = *apart;
      found.place = place_text(problem.coordinates, common.x[i]);
    }
    if (std::fabs(found.gap) <= same) found.gap = 0;
    all.push_back(std::move(found));
    return true;
  };
  for (std::size_t i = 0; i < problem.requirements.size(); ++i)
    for (std::size_t j = i + 1; j < problem.requirements.size(); ++j) {
      const Requirement &a = problem.requirements[i], &b = problem.requirements[j];
      if (!is_condition(a) || !is_condition(b) || a.region->dimension() > b.region->dimension() ||
          a.region->parts().size() * b.region->parts().size() > most_parts ||
          !may_meet(*a.region, *b.region, nearness * size))
        continue;
      for (const Region* part : a.region->parts()) {
        if (!may_meet(*part, *b.region, nearness * size)) continue;
        const Shared common = shared(*part, *a.region, *b.region, nearness * size);
        bool any = false;
        if (common.x.empty()) continue;
        for (const Residual& p : a.residuals)
          for (const Residual& q : b.residuals) any = compare(p, q, common) || any;
        if (any) break;
      }
    }
  return all;
}

Warnings contradictory_conditions(const Problem& problem) {
  Warnings warnings;
  for (const Overlap& o : overlaps(problem))
    if (o.gap != 0)
      warnings.push_back(
          {fmt::format(
               "'{}' and '{}' contradict each other: both ask for one thing on a piece that "
               "they share, and differ by {:.3g} at {}",
               o.a, o.b, std::fabs(o.gap), o.place),
           "the conditions",
           "take the piece out of one of them, as in on = \"boundary and not boundary(NAME)\""});
  return warnings;
}

std::string overlaps_text(const Problem& problem) {
  std::string text;
  for (const Overlap& o : overlaps(problem))
    if (o.gap == 0)
      text += fmt::format("  {} and {} ask the same on a piece that they share\n", o.a, o.b);
  return text;
}

}  // namespace pinn
