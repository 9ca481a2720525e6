// Places where parts of a formula may be rough.
#include "solvers/problem/smoothness/places.h"

#include <algorithm>
#include <cmath>

#include "data/tables/scattered_table.h"
#include "data/tables/table_function.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"

namespace pinn::smoothness {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t searches = 8;    ///< from the best of many points
constexpr std::size_t chunks = 16;     ///< of evenly spread points, each with a search of its own
constexpr double far_from_zero = 0.2;  ///< of that, at the best of a hundred points: there is none
constexpr double is_zero = 1e-12;      ///< of the largest value of a function
constexpr double margin = 1e-4;        ///< of the domain's longest side: what lies on its rim
constexpr std::size_t most_borders = 24;  ///< places on borders of regions

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

/// True of a point in the domain that lies so far from its rim.
bool well_within(const Problem& problem, const Region& domain, double far, const Point& x) {
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Coordinate& k = problem.coordinates[c];
    const double share = (x[c] - k.lower) / (k.upper - k.lower);
    if (share < far || share > 1 - far) return false;
  }
  return domain.inside(x, problem.domain ? -far * longest_side(problem) : 0);
}

bool is_comparison(const Expression& e) {
  return e.kind == Kind::call && !comparison_sign(e.name).empty();
}

/// Formulas that are 0 where a node may be rough; none where it is smooth everywhere.
std::vector<Formula> critical(const Expression& e) {
  if (e.kind != Kind::call) return {};
  const std::string& op = e.name;
  const Formula first(e.inputs[0]);
  for (const char* name : {"recip", "sqrt", "log", "abs", "relu", "sign", "step"})
    if (op == name) return {first};
  if (op == "tan") return {cos(first)};
  if (op == "where" && !is_comparison(*e.inputs[0])) return {first};
  if (e.inputs.size() != 2) return {};
  const Formula second(e.inputs[1]);
  if (op == "div") return {second};
  if (op == "atan2")
    return {abs(first) + formula("relu", second), power(first, 2) + power(second, 2)};
  if (op == "min" || op == "max" || is_comparison(e)) return {first - second};
  const bool is_power = op == "pow" || op == "power";
  const bool whole = second.e->kind == Kind::number && second.e->number >= 0 &&
                     second.e->number == std::floor(second.e->number);
  return is_power && !whole ? std::vector{first} : std::vector<Formula>{};
}

/// Between points in different regions, the place where one ends.
Point border(const Partition& partition, Point a, Point b) {
  constexpr int halvings = 50;
  const int region = partition.at(a);
  for (int k = 0; k < halvings; ++k) {
    Point middle = a;
    for (std::size_t c = 0; c < a.size(); ++c) middle[c] = (a[c] + b[c]) / 2;
    (partition.at(middle) == region ? a : b) = middle;
  }
  return b;
}

void add_borders(const Problem& problem, const Expression& by_region,
                 const std::vector<Point>& inside, std::vector<Candidate>& all) {
  std::size_t found = 0;
  const Partition& partition = *by_region.partition;
  for (std::size_t i = 1; i < inside.size() && found < most_borders; ++i)
    if (partition.at(inside[i - 1]) != partition.at(inside[i])) {
      all.push_back(
          {&by_region, border(partition, inside[i - 1], inside[i]), space_coordinates(problem)});
      ++found;
    }
}

/// How often a node is differentiated along what it depends on.
int asked_of(const Expression& e, const std::vector<int>& orders) {
  const Dependence on = dependence(e);
  int most = -1;
  for (std::size_t c = 0; c < orders.size(); ++c)
    if (on.on(int(c))) most = std::max(most, orders[c]);
  return most;
}

}  // namespace

bool may_be_rough(const Expression& formula_of) {
  return std::ranges::any_of(in_order(formula_of), [](const Expression* node) {
    return node->kind == Kind::lookup || node->kind == Kind::by_region || !critical(*node).empty();
  });
}

std::vector<int> coordinates_in(const Expression& e) {
  std::vector<int> all;
  const Dependence on = dependence(e);
  for (int c = 0; c < max_coordinates; ++c)
    if (on.on(c)) all.push_back(c);
  return all;
}

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

// The best of each chunk: they lie all over what of the domain is 0, and not at one place of it.
// A search that ends at the rim, on its way to a zero beyond, finds none.
std::vector<Point> zeros(const Problem& problem, const Function& f,
                         const std::vector<Point>& inside) {
  const auto domain = interior(problem);
  const Function within = [&](const Point& x) {
    const double value = well_within(problem, *domain, margin, x) ? std::fabs(f(x)) : INFINITY;
    return std::isnan(value) ? INFINITY : value;
  };
  double largest = 0;
  std::vector<double> values;
  for (const Point& x : inside) {
    values.push_back(within(x));
    if (std::isfinite(values.back())) largest = std::max(largest, values.back());
  }
  std::vector<Point> found;
  for (std::size_t k = 0; k < chunks && !inside.empty(); ++k) {
    const auto first = values.begin() + std::ptrdiff_t(k * values.size() / chunks);
    const auto last = values.begin() + std::ptrdiff_t((k + 1) * values.size() / chunks);
    if (first == last) continue;
    const auto least = std::min_element(first, last);
    if (*least > far_from_zero * largest) continue;
    Point x = inside[std::size_t(least - values.begin())];
    if (descend(problem, within, x) <= is_zero * largest &&
        well_within(problem, *domain, 2 * margin, x))
      found.push_back(std::move(x));
  }
  return found;
}

std::vector<Candidate> candidates(const Problem& problem, const ExpressionPtr& formula_of,
                                  const std::vector<int>& orders,
                                  const std::vector<Point>& inside) {
  std::vector<Candidate> all;
  const std::vector<double> unknowns = starts(problem);
  for (const Expression* node : in_order(*formula_of)) {
    const int asked = is_pointwise(*node) ? asked_of(*node, orders) : -1;
    if (asked < 0) continue;
    if (node->kind == Kind::lookup) add_knots(problem, *node, asked, inside, all);
    if (node->kind == Kind::by_region) add_borders(problem, *node, inside, all);
    for (const Formula& zero : critical(*node)) {
      if (is_constant(*zero.e)) continue;
      const Evaluator at(*zero.e);
      const Function f = [&](const Point& x) {
        return at({.coordinates = x, .unknowns = unknowns});
      };
      for (Point& x : zeros(problem, f, inside))
        all.push_back({node, std::move(x), coordinates_in(*zero.e)});
    }
  }
  return all;
}

}  // namespace pinn::smoothness
