// Places where tables in formulas are rough.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/tables/scattered_table.h"
#include "data/tables/table_function.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/smoothness/places.h"

namespace pinn::smoothness {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t most_knots = 20'000;    ///< of a periodic table, over all periods
constexpr std::ptrdiff_t places_of_knot = 3;  ///< in more than one dimension
constexpr double far_enough = 1e-3;           ///< in shares of the domain, from other knots

/// Numbers of one argument at which a table is not as smooth as asked.
std::vector<double> knots_of(const TableFunction& table, std::size_t input, int asked) {
  const std::vector<double> ends = table.ranges()[input];
  if (is_scattered(table) || asked <= smooth_derivatives(table))
    return table.options().outside == Outside::clamp ? ends : std::vector<double>{};
  std::vector<double> all = table.turns(int(input), -infinite, infinite);
  if (table.options().interpolation == Interpolation::nearest)  // it jumps in the middle
    for (std::size_t k = all.size(); k-- > 1;) all[k] = (all[k - 1] + all[k]) / 2;
  return all;
}

/// The same, again in every period between two numbers.
std::vector<double> repeated(const std::vector<double>& knots, double period, double lower,
                             double upper) {
  std::vector<double> all;
  if (knots.empty() || period <= 0) return all;
  for (double shift = std::floor((lower - knots.front()) / period) - 1;; ++shift)
    for (const double knot : knots) {
      const double at = knot + shift * period;
      if (at > upper || all.size() > most_knots) return all;
      if (at >= lower && (all.empty() || at > all.back())) all.push_back(at);
    }
}

/// A function of the place, and points in the order of its values.
class Sorted {
 public:
  Sorted(const Problem& problem, const Expression& e, const std::vector<Point>& points)
      : value_(e), unknowns_(starts(problem)) {
    for (const Point& x : points)
      if (const double v = (*this)(x); std::isfinite(v)) all_.push_back({v, &x});
    std::ranges::sort(all_, {}, &std::pair<double, const Point*>::first);
  }
  double operator()(const Point& x) const {
    return value_({.coordinates = x, .unknowns = unknowns_});
  }
  bool empty() const { return all_.size() < 2; }
  double lower() const { return all_.front().first; }
  double upper() const { return all_.back().first; }

  /// Places where it has a value: between the points next below and above it, and others.
  std::vector<Point> places(double wanted, std::ptrdiff_t count) const {
    const auto above =
        std::ranges::upper_bound(all_, wanted, {}, &std::pair<double, const Point*>::first);
    std::vector<Point> found;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const std::ptrdiff_t step = 7 * k;
      if (above - all_.begin() < step + 1 || all_.end() - above < step + 1) break;
      found.push_back(between(*(above - 1 - step)->second, *(above + step)->second, wanted));
    }
    return found;
  }

 private:
  Point between(Point below, Point above, double wanted) const {
    constexpr int halvings = 60;
    for (int k = 0; k < halvings; ++k) {
      Point middle = below;
      for (std::size_t c = 0; c < middle.size(); ++c) middle[c] = (below[c] + above[c]) / 2;
      ((*this)(middle) <= wanted ? below : above) = middle;
    }
    return below;
  }

  Evaluator value_;
  std::vector<double> unknowns_;
  std::vector<std::pair<double, const Point*>> all_;
};

/// How near to a place, in shares of the domain, no other knot is met.
double reach_of(const Problem& problem, const Sorted& argument, const Point& x, double gap) {
  double most = 0;
  const double here = argument(x);
  for (std::size_t c = 0; c < x.size(); ++c)
    for (const double sign : {-far_enough, far_enough}) {
      Point next = x;
      next[c] += sign * (problem.coordinates[c].upper - problem.coordinates[c].lower);
      if (const double by = std::fabs(argument(next) - here); std::isfinite(by))
        most = std::max(most, by);
    }
  return far_enough * std::min(1.0, 0.2 * gap / most);
}

}  // namespace

int smooth_derivatives(const TableFunction& table) {
  switch (table.options().interpolation) {
    case Interpolation::nearest:
      return -1;
    case Interpolation::linear:
      return is_scattered(table) ? 1 : 0;
    case Interpolation::cubic:
      return 2;
  }
  return -1;
}

void add_knots(const Problem& problem, const Expression& lookup, int asked,
               const std::vector<Point>& inside, std::vector<Candidate>& all) {
  const TableFunction& table = *lookup.table;
  const bool one = problem.coordinates.size() == 1;
  for (std::size_t i = 0; i < lookup.inputs.size(); ++i) {
    const Sorted argument(problem, *lookup.inputs[i], inside);
    if (argument.empty() || argument.lower() == argument.upper()) continue;
    std::vector<double> knots = knots_of(table, i, asked + order(lookup.order));
    const std::vector<double> range = table.ranges()[i];
    if (table.options().outside == Outside::periodic)
      knots = repeated(knots, range[1] - range[0], argument.lower(), argument.upper());
    for (std::size_t k = 0; k < knots.size(); ++k) {
      const double before = k > 0 ? knots[k] - knots[k - 1] : infinite;
      const double after = k + 1 < knots.size() ? knots[k + 1] - knots[k] : infinite;
      const double gap = std::min({before, after, range[1] - range[0]});
      for (Point& x : argument.places(knots[k], one ? 1 : places_of_knot)) {
        const double reach = reach_of(problem, argument, x, gap);
        all.push_back({&lookup, std::move(x), coordinates_in(*lookup.inputs[i]), reach});
      }
    }
  }
}

}  // namespace pinn::smoothness
