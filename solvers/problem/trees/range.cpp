#include "solvers/problem/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "autograd/core/error.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/expression.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers of an interval at which an op is tried.
struct Places {
  std::array<double, 20> values{};
  std::size_t count = 0;

  void add(double value) { values[count++] = value; }
  void add_if_inside(const Interval& i, double value) {
    if (i.lower < value && value < i.upper) add(value);
  }
};

/// For an op of several inputs: such ops are linear or monotone between these, and jump at zero.
Places ends_and_zero(const Interval& i) {
  Places places;
  places.add(i.lower);
  if (!i.fixed()) places.add(i.upper);
  for (const double zero : {0.0, -1e-300}) places.add_if_inside(i, zero);
  return places;
}

/// For an op of one input: such ops turn near 0 and 1, or again and again.
Places all_over(const Interval& i) {
  Places places = ends_and_zero(i);
  if (i.fixed()) return places;
  const double length = i.upper - i.lower;
  const int between = length < 0.25 ? 1 : length < 3 ? 5 : 13;  // a wave may fit in
  for (int k = 1; k <= between; ++k) places.add_if_inside(i, i.lower + length * k / (between + 1));
  for (const double turn : {-1.0, 1.0}) places.add_if_inside(i, turn);
  return places;
}

/// From the least to the greatest value of an op over all combinations; where it has no value at
/// all, everything.
Interval values_of(Operation operation, std::span<const Places> inputs) {
  Interval range{infinity, -infinity};
  std::size_t combinations = 1;
  for (const Places& p : inputs) combinations *= p.count;
  for (std::size_t n = 0; n < combinations; ++n) {
    std::array<double, 3> in{};
    std::size_t rest = n;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      in[i] = inputs[i].values[rest % inputs[i].count];
      rest /= inputs[i].count;
    }
    const double value = operation(in.data());
    if (std::isnan(value)) continue;
    range.lower = std::min(range.lower, value);
    range.upper = std::max(range.upper, value);
  }
  return range.lower <= range.upper ? range : Interval{-infinity, infinity};
}

/// The numbers between which a table may turn, and the ends; of many some.
std::vector<double> places_in(const TableFunction& table, int input, const Interval& i) {
  constexpr std::size_t most = 9;
  std::vector<double> places{i.lower};
  if (i.fixed()) return places;
  const std::vector<double> turns = table.turns(input, i.lower, i.upper);
  const std::size_t step = 1 + turns.size() / most;
  for (std::size_t k = 0; k < turns.size(); k += step) places.push_back(turns[k]);
  places.push_back(i.upper);
  for (std::size_t k = places.size(); k-- > 1;)
    places.push_back((places[k - 1] + places[k]) / 2);  // a cubic turns between knots
  return places;
}

}  // namespace

/// Range of a table: from the least to the greatest of some values.
Interval RangeEvaluator::range_of(const Line& line, const std::vector<Interval>& ranges) {
  std::vector<std::vector<double>> places;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < line.inputs; ++i) {
    const Interval& input = ranges[line.from[i]];
    if (!std::isfinite(input.lower) || !std::isfinite(input.upper)) return {-infinity, infinity};
    places.push_back(places_in(*line.table, int(i), input));
    combinations *= places.back().size();
  }
  Interval range{infinity, -infinity};
  for (std::size_t n = 0; n < combinations; ++n) {
    std::array<double, 4> x{};
    std::size_t rest = n;
    for (std::size_t i = 0; i < line.inputs; rest /= places[i].size(), ++i)
      x[i] = places[i][rest % places[i].size()];
    const double value = (*line.table)(std::span(x).first(line.inputs), line.order);
    range.lower = std::min(range.lower, value);
    range.upper = std::max(range.upper, value);
  }
  return range;
}

RangeEvaluator::RangeEvaluator(const Expression& formula) {
  std::unordered_map<const Expression*, std::size_t> at;
  const ExpressionPtr carried_out = with_derivatives_carried_out(formula);
  for (const Expression* e : in_order(carried_out ? *carried_out : formula)) {
    Line line;
    if (e->kind == Kind::by_region) {
      for (const ExpressionPtr& input : e->inputs) line.regions.push_back(at.at(input.get()));
    } else if (is_pointwise(*e)) {
      if (e->kind == Kind::call) line.operation = operation(e->name, e->inputs.size());
      line.table = e->table;
      line.order = e->order;
      line.inputs = e->inputs.size();
      for (std::size_t i = 0; i < line.inputs; ++i) line.from[i] = at.at(e->inputs[i].get());
    } else if (e->kind == Kind::coordinate) {
      line.coordinate = e->index;
    } else if (e->kind == Kind::number) {
      line.number = e->number;
    } else {
      throw InternalError({"only formulas of the coordinates have a range on a box",
                           "RangeEvaluator", "give it a formula without fields and unknowns"});
    }
    at[e] = lines_.size();
    lines_.push_back(line);
  }
}

Interval RangeEvaluator::operator()(std::span<const Interval> box) const {
  std::vector<Interval> ranges;
  ranges.reserve(lines_.size());
  for (const Line& line : lines_) {
    if (line.table) {
      ranges.push_back(range_of(line, ranges));
      continue;
    }
    if (!line.regions.empty()) {
      Interval all = ranges[line.regions[0]];
      for (const std::size_t i : line.regions)
        all = {std::min(all.lower, ranges[i].lower), std::max(all.upper, ranges[i].upper)};
      ranges.push_back(all);
      continue;
    }
    if (!line.operation) {
      ranges.push_back(line.coordinate >= 0 ? box[std::size_t(line.coordinate)]
                                            : Interval{line.number, line.number});
      continue;
    }
    std::array<Places, 3> places;
    for (std::size_t i = 0; i < line.inputs; ++i) {
      const Interval& input = ranges[line.from[i]];
      places[i] = line.inputs == 1 ? all_over(input) : ends_and_zero(input);
    }
    ranges.push_back(values_of(line.operation, std::span(places).first(line.inputs)));
  }
  return ranges.back();
}

}  // namespace pinn
