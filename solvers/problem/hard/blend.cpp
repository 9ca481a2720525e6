// One formula that has the values of all pieces.
#include <algorithm>

#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard/pieces.h"

namespace pinn::hard {
namespace {

using Kind = Expression::Kind;

/// What is known of a field across one coordinate; null where nothing is.
struct Across {
  ExpressionPtr value[2], slope[2];  ///< at the lower and the upper face

  bool any() const { return value[0] || value[1]; }
};

Across across(const std::vector<Piece>& pieces, int coordinate) {
  Across found;
  for (const Piece& p : pieces)
    if (p.coordinate == coordinate) (p.order == 0 ? found.value : found.slope)[p.upper] = p.value;
  return found;
}

/// From a face inwards.
Formula distance(const Problem& problem, int coordinate, bool upper) {
  const Formula x(make_leaf(Kind::coordinate, coordinate));
  const double end = end_of(problem, coordinate, upper);
  if (upper) return Formula(end) - x;
  return end < 0 ? x + Formula(-end) : x - Formula(end);
}

double length(const Problem& problem, int coordinate) {
  return end_of(problem, coordinate, true) - end_of(problem, coordinate, false);
}

/// Adds what a formula lacks of the values across one coordinate. What is nowhere more than
/// rounding is left out.
Formula corrected(const Problem& problem, const Formula& g, const Across& known, int coordinate) {
  Formula sum = g;
  const auto add = [&](const Formula& weight, const Formula& lacking, bool upper) {
    const double size = std::max(1.0, furthest(problem, {{coordinate, upper}}, g.e).value);
    if (furthest(problem, {{coordinate, upper}}, lacking.e).value > 1e-13 * size)
      sum = sum + weight * lacking;
  };
  const bool both = known.value[0] && known.value[1];
  for (const bool upper : {false, true}) {
    const auto at_face = [&](const ExpressionPtr& e) {
      return Formula(held(e, coordinate, end_of(problem, coordinate, upper)));
    };
    const Formula inwards = distance(problem, coordinate, upper);
    if (const ExpressionPtr& value = known.value[upper])
      add(both ? distance(problem, coordinate, !upper) / Formula(length(problem, coordinate))
               : Formula(1),
          Formula(value) - at_face(g.e), upper);
    if (const ExpressionPtr& slope = known.slope[upper])
      add(upper ? -inwards : inwards, Formula(slope) - at_face(differentiate(g.e, coordinate)),
          upper);
  }
  return sum;
}

/// A formula times what is 0 where something is known across a coordinate, and of order one.
Formula faded(const Problem& problem, const Formula& by, const Across& known, int coordinate) {
  const double l = length(problem, coordinate);
  const bool both = known.value[0] && known.value[1];
  const double scale = both ? 4 / (l * l) : 1 / l;
  if (known.slope[0] || known.slope[1]) {
    const bool upper = known.value[1] != nullptr;
    return by * Formula(scale * scale) *
           formula("pow", distance(problem, coordinate, upper), Formula(2));
  }
  Formula d = by * Formula(scale);
  for (const bool upper : {false, true})
    if (known.value[upper]) d = d * distance(problem, coordinate, upper);
  return d;
}

/// Time first: what the start lacks at the walls is often nothing.
std::vector<int> coordinates_in_order(const Problem& problem) {
  std::vector<int> order;
  for (int c = 0; c < int(problem.coordinates.size()); ++c) order.push_back(c);
  std::stable_partition(order.begin(), order.end(), [&](int c) {
    return problem.coordinates[std::size_t(c)].role == Role::time;
  });
  return order;
}

}  // namespace

ExpressionPtr held(const ExpressionPtr& formula_of, int coordinate, double at) {
  if (formula_of->kind == Kind::coordinate && formula_of->index == coordinate)
    return make_number(at);
  if (formula_of->kind != Kind::call || !dependence(*formula_of).on(coordinate)) return formula_of;
  std::vector<ExpressionPtr> inputs;
  for (const ExpressionPtr& input : formula_of->inputs)
    inputs.push_back(held(input, coordinate, at));
  const std::string& op = formula_of->name;
  if (inputs.size() == 1) return formula(op.c_str(), Formula(inputs[0])).e;
  if (inputs.size() != 2) return make_call(op, std::move(inputs));
  const Formula a(inputs[0]), b(inputs[1]);
  if (op == "add") return (a + b).e;
  if (op == "sub") return (a - b).e;
  if (op == "mul") return (a * b).e;
  if (op == "div") return (a / b).e;
  return formula(op.c_str(), a, b).e;
}

ExpressionPtr blended(const Problem& problem, const std::vector<Piece>& pieces) {
  Formula g(0), d(1);
  for (const int c : coordinates_in_order(problem)) {
    const Across known = across(pieces, c);
    if (!known.any()) continue;
    g = corrected(problem, g, known, c);
    d = faded(problem, d, known, c);
  }
  return (g + d * Formula(make_leaf(Kind::raw_output))).e;
}

}  // namespace pinn::hard
