// Derivatives of a formula on both sides of the places where it may be rough.
#include "solvers/problem/smoothness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "data/geometry/measure.h"
#include "data/tables/scattered_table.h"
#include "data/tables/table_function.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/smoothness/places.h"

namespace pinn {
namespace {

using smoothness::Candidate;
using smoothness::Point;

constexpr std::size_t longest_part = 60;  ///< of a text that names a part

/// A formula and its derivatives by each coordinate, made when they are asked for.
class Derivatives {
 public:
  Derivatives(const Problem& problem, const ExpressionPtr& formula)
      : unknowns_(starts(problem)), formula_(formula) {}

  double operator()(int coordinate, int order, const Point& x) {
    Known& known = known_[coordinate];
    while (int(known.values.size()) <= order) {
      known.last = known.last ? differentiate(known.last, coordinate) : formula_;
      known.values.emplace_back(*known.last);
    }
    return known.values[std::size_t(order)]({.coordinates = x, .unknowns = unknowns_});
  }

 private:
  struct Known {
    ExpressionPtr last;
    std::vector<Evaluator> values;
  };
  std::vector<double> unknowns_;
  ExpressionPtr formula_;
  std::map<int, Known> known_;
};

/// A function on one side of a place, ever nearer, and how much of that is rounding.
struct Side {
  std::array<double, 3> values{};
  double noise = 0;

  bool finite() const {
    return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
  }
  double limit() const { return values[2]; }
  double last_step() const { return std::fabs(values[2] - values[1]); }
  double first_step() const { return std::fabs(values[1] - values[0]); }
};

template <class Function> Side side(const Function& f, double reach) {
  Side s;
  for (std::size_t k = 0; k < s.values.size(); ++k, reach /= 10) s.values[k] = f(reach);
  reach *= 10;
  for (const double near : {0.999, 1.001})
    s.noise = std::max(s.noise, std::fabs(f(near * reach) - s.limit()));
  return s;
}

/// How a function of the distance along a line behaves at its 0; nothing where it is continuous.
template <class Function>
std::optional<RoughPlace::Kind> roughness(const Function& f, double reach) {
  constexpr double rounding = 1e-9, of_noise = 20;
  const Side above = side(f, reach), below = side(f, -reach);
  if (!above.finite() || !below.finite()) return RoughPlace::Kind::no_value;
  const double size = std::max(std::fabs(above.limit()), std::fabs(below.limit()));
  const double nothing = rounding * size + of_noise * std::max(above.noise, below.noise);
  for (const Side& s : {above, below})
    if (s.last_step() > 0.5 * s.first_step() + nothing) return RoughPlace::Kind::no_value;
  const double far = std::fabs(above.values[0] - below.values[0]);
  const double near = std::fabs(above.limit() - below.limit());
  if (near > 0.3 * far + nothing) return RoughPlace::Kind::jump;
  return {};
}

std::string text_of(const Problem& problem, const Expression& part) {
  if (part.kind == Expression::Kind::by_region) return "what differs by region";
  if (part.kind == Expression::Kind::lookup) return "the table " + quoted(part.name);
  const std::string text = print(part, {problem, Scope::Use::output});
  return text.size() <= longest_part ? text : part.name + "(...)";
}

RoughPlace rough_place(const Problem& problem, RoughPlace::Kind kind, const Candidate& candidate,
                       int coordinate, int order) {
  const Expression& part = *candidate.node;
  return {kind, candidate.at, coordinate, order, text_of(problem, part), candidate.of, part.table};
}

/// A table that has no such derivative anywhere, whose places are all over the domain.
std::optional<RoughPlace> rough_table(const Problem& problem, const Expression& formula,
                                      const std::vector<int>& orders, const Point& somewhere) {
  for (const Expression* e : in_order(formula)) {
    if (e->kind != Expression::Kind::lookup || !is_scattered(*e->table)) continue;
    const int has = smoothness::smooth_derivatives(*e->table) - order(e->order);
    const Dependence on = dependence(*e);
    for (std::size_t c = 0; c < orders.size(); ++c)
      if (on.on(int(c)) && orders[c] > has)
        return rough_place(problem, RoughPlace::Kind::jump,
                           {e, somewhere, smoothness::coordinates_in(*e)}, int(c),
                           std::max(0, has + 1));
  }
  return {};
}

std::optional<RoughPlace> rough_at(const Problem& problem, const Candidate& candidate,
                                   const std::vector<int>& orders, Derivatives& derivatives) {
  for (int order = 0; order <= std::ranges::max(orders); ++order)
    for (std::size_t c = 0; c < orders.size(); ++c) {
      if (orders[c] < order) continue;
      const Coordinate& along = problem.coordinates[c];
      const auto f = [&](double distance) {
        Point x = candidate.at;
        x[c] += distance;
        return derivatives(int(c), order, x);
      };
      const double inside = std::min(candidate.at[c] - along.lower, along.upper - candidate.at[c]);
      const double reach = std::min(candidate.reach * (along.upper - along.lower), inside / 2);
      const auto kind = roughness(f, reach);
      if (!kind) continue;
      return rough_place(problem, *kind, candidate, int(c), order);
    }
  return {};
}

}  // namespace

std::vector<int> asked_orders(const Problem& problem, const FieldUses& uses, int field) {
  std::vector<int> most(problem.coordinates.size());
  for (const FieldUses::Use& use : uses.of(field))
    for (const auto& orders : {use.orders, use.elsewhere})
      for (const MultiIndex& index : orders)
        for (std::size_t c = 0; c < most.size(); ++c) most[c] = std::max(most[c], int(index[c]));
  return most;
}

Smoothness::Smoothness(const Problem& problem, Where where)
    : problem_(problem), where_(std::move(where)) {}

const std::vector<Point>& Smoothness::inside() const {
  constexpr int wanted = 1000, candidates = 200'000;
  if (!inside_.empty()) return inside_;
  inside_ = spread_points(*interior(problem_), wanted, candidates);
  if (where_) std::erase_if(inside_, [&](const Point& x) { return !where_(x); });
  return inside_;
}

std::optional<RoughPlace> Smoothness::operator()(const ExpressionPtr& formula,
                                                 const std::vector<int>& orders,
                                                 const Counts& counts) const {
  const ExpressionPtr plain = substitute_fields(formula, {});
  if (std::ranges::max(orders) < 0 || !smoothness::may_be_rough(*plain) || inside().empty())
    return {};
  if (auto rough = rough_table(problem_, *plain, orders, inside()[0])) return rough;
  Derivatives derivatives(problem_, plain);
  for (const Candidate& c : smoothness::candidates(problem_, plain, orders, inside())) {
    if (where_ && !where_(c.at)) continue;
    const auto rough = rough_at(problem_, c, orders, derivatives);
    if (rough && (!counts || counts(*rough))) return rough;
  }
  return {};
}

std::string rough_text(const Problem& problem, const RoughPlace& rough) {
  const std::string what =
      rough.order == 0 ? "it"
                       : fmt::format("its derivative of order {} along {}", rough.order,
                                     problem.coordinates[std::size_t(rough.coordinate)].name);
  std::vector<Coordinate> coordinates;
  std::vector<double> at;
  for (const int c : rough.part_of) {
    coordinates.push_back(problem.coordinates[std::size_t(c)]);
    at.push_back(rough.at[std::size_t(c)]);
  }
  return fmt::format("{} {} at {}, by {}", what,
                     rough.kind == RoughPlace::Kind::jump ? "jumps" : "has no value",
                     place_text(coordinates, at), rough.part);
}

}  // namespace pinn
