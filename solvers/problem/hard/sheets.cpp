// Whether values may be carried from surfaces into the domain, and agree where surfaces meet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "data/geometry/measure.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/parse.h"

namespace pinn::hard {
namespace {

using Kind = Expression::Kind;
using Point = std::vector<double>;
using Function = std::function<double(const Point&)>;

constexpr int searches = 8;        ///< from the best of many points
constexpr double is_zero = 1e-12;  ///< of the largest value of a function
constexpr double margin = 1e-4;   ///< of the domain's longest side: what lies in it, not on its rim
constexpr double meeting = 1e-7;  ///< of the same, between surfaces that meet
constexpr double tolerance = 1e-5;  ///< between values where they meet, which is found to `meeting`

/// Goes from a point to lower values, by steps along the coordinates that shrink where none does.
double descend(const Problem& problem, const Function& f, Point& x) {
  constexpr double begin = 0.1, end = 1e-17;
  double best = f(x);
  for (double reach = begin; reach > end && best > 0;) {
    bool lower = false;
    for (std::size_t c = 0; c < x.size(); ++c)
      for (const double sign : {-1.0, 1.0}) {
        const Coordinate& k = problem.coordinates[c];
        Point next = x;
        next[c] = std::clamp(x[c] + sign * reach * (k.upper - k.lower), k.lower, k.upper);
        if (const double there = f(next); there < best) {
          best = there;
          x = std::move(next);
          lower = true;
        }
      }
    if (!lower) reach /= 2;
  }
  return best;
}

/// The places near which a function that is not negative is least, each found from one of `points`.
std::vector<Point> lowest(const Problem& problem, const Function& f, std::vector<Point> points) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < points.size(); ++i) order.push_back({f(points[i]), i});
  std::ranges::sort(order);
  std::vector<Point> found;
  for (std::size_t k = 0; k < order.size() && k < searches; ++k) {
    found.push_back(std::move(points[order[k].second]));
    descend(problem, f, found.back());
  }
  return found;
}

/// What of a node is 0 where the node is not smooth; nothing where it is smooth everywhere.
std::optional<Formula> critical(const Expression& e) {
  if (e.kind != Kind::call) return {};
  const std::string& op = e.name;
  const Formula first(e.inputs[0]);
  for (const char* name : {"recip", "sqrt", "log", "abs", "relu", "sign", "step"})
    if (op == name) return first;
  if (op == "tan") return cos(first);
  if (e.inputs.size() != 2) return {};
  const Formula second(e.inputs[1]);
  if (op == "div") return second;
  if (op == "atan2") return abs(first) + formula("relu", second);
  for (const char* name : {"min", "max", "less", "less_equal", "greater", "greater_equal"})
    if (op == name) return first - second;
  const bool is_power = op == "pow" || op == "power";
  const bool whole = second.e->kind == Kind::number && second.e->number >= 0 &&
                     second.e->number == std::floor(second.e->number);
  return is_power && !whole ? std::optional(first) : std::nullopt;
}

bool well_within(const Problem& problem, const Region& domain, double size, const Point& x) {
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Coordinate& k = problem.coordinates[c];
    const double share = (x[c] - k.lower) / (k.upper - k.lower);
    if (share < margin || share > 1 - margin) return false;
  }
  return domain.inside(x, problem.domain ? -margin * size : 0);
}

/// Where in the domain a value has a pole, a jump or a kink.
std::optional<Point> rough_place(const Problem& problem, const Expression& value,
                                 const std::vector<Point>& inside) {
  const auto domain = interior(problem);
  const double size = longest_side(problem);
  for (const Expression* node : in_order(value)) {
    const std::optional<Formula> zero = critical(*node);
    if (!zero || is_constant(*zero->e)) continue;
    const Evaluator at(*zero->e);
    double largest = 0;
    for (const Point& x : inside) largest = std::max(largest, std::fabs(at({.coordinates = x})));
    const Function f = [&](const Point& x) {
      return well_within(problem, *domain, size, x) ? std::fabs(at({.coordinates = x})) : INFINITY;
    };
    for (const Point& x : lowest(problem, f, inside))
      if (f(x) <= is_zero * largest) return x;
  }
  return {};
}

/// A value on a surface or a face of space, and a function that is 0 there.
struct Side {
  std::size_t of;
  int field;
  ExpressionPtr value, function;
};

std::vector<Side> sides(const Problem& problem, const Surfaces& surfaces,
                        const std::vector<Asked>& asked) {
  std::vector<Side> all;
  for (const Asked& a : asked) {
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

/// Where two sides meet on the boundary and their values differ; value 0 where none was found.
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

void settle_smooth(const Problem& problem, std::vector<Asked>& asked) {
  const std::vector<Point> inside = spread_points(*interior(problem), 2000, 400'000);
  for (Asked& a : asked) {
    const auto look = [&](const ExpressionPtr& value) {
      if (!a.why.empty()) return;
      if (const auto place = rough_place(problem, *value, inside))
        a.why = "within the domain its value is not smooth, at " +
                place_text(problem.coordinates, *place);
    };
    for (const Piece& p : a.pieces) look(p.value);
    for (const Sheet& s : a.sheets) look(s.value);
  }
}

void settle_sheets(const Problem& problem, const Surfaces& surfaces, std::vector<Asked>& asked) {
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
