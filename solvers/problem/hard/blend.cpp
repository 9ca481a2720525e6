// One formula that has the values of all pieces.
#include <algorithm>
#include <cmath>

#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard/pieces.h"
#include "solvers/problem/parse.h"

namespace pinn::hard {
namespace {

using Kind = Expression::Kind;

/// Known values and slopes of a field across one coordinate; null where there are none.
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
    const double far = furthest(problem, {{coordinate, upper}}, lacking.e).value;
    if (!std::isfinite(size) || far > 1e-13 * size)  // no number: within a hole, or on an edge
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
  if (!is_pointwise(*formula_of) || !dependence(*formula_of).on(coordinate)) return formula_of;
  std::vector<ExpressionPtr> inputs;
  for (const ExpressionPtr& input : formula_of->inputs)
    inputs.push_back(held(input, coordinate, at));
  if (formula_of->kind != Kind::call) return with_inputs(*formula_of, std::move(inputs));
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

namespace {

/// A value that is to be taken where a function is 0.
struct Group {
  Formula value, function;
};

/// Least weight of a value: all would be 0 where surfaces meet, and there the values agree.
constexpr double least_weight = 1e-30;

/// Values by inverse-distance weights (Rvachev, Sheiko, Shapiro, Tsukanov (2001), Computer Aided
/// Geometric Design 18, 195-220): each where its own function is 0.
Formula interpolated(const std::vector<Group>& groups) {
  Formula above(0), below(0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Formula weight(1);
    for (std::size_t j = 0; j < groups.size(); ++j)
      if (j != i) weight = weight * groups[j].function;
    if (groups.size() > 1) weight = weight + Formula(least_weight);
    above = above + weight * groups[i].value;
    below = below + weight;
  }
  return groups.size() == 1 ? groups[0].value : above / below;
}

/// True if a value is, to rounding, that of all faces of space, too: then it needs no other form.
bool is_value_of_faces(const Problem& problem, const ExpressionPtr& value,
                       const std::vector<Piece>& pieces) {
  return std::ranges::all_of(pieces, [&](const Piece& p) {
    if (problem.coordinates[std::size_t(p.coordinate)].role != Role::space) return true;
    const std::vector<End> face{{p.coordinate, p.upper}};
    const Formula there(held(value, p.coordinate, end_of(problem, p.coordinate, p.upper)));
    const double size = std::max(1.0, furthest(problem, face, p.value).value);
    return p.order == 0 &&
           furthest(problem, face, (there - Formula(p.value)).e).value <= 1e-13 * size;
  });
}

/// Surfaces with one value count as one.
std::vector<Group> grouped(const Problem& problem, const Surfaces& surfaces,
                           const std::vector<Sheet>& sheets, std::vector<Group> groups) {
  const Scope scope{problem, Scope::Use::formula};
  for (const Sheet& sheet : sheets) {
    const Formula function(surfaces.all()[sheet.surface].function);
    const std::string value = print(*sheet.value, scope);
    const auto same = std::ranges::find_if(
        groups, [&](const Group& g) { return print(*g.value.e, scope) == value; });
    if (same == groups.end())
      groups.push_back({Formula(sheet.value), function});
    else
      same->function = same->function * function;
  }
  return groups;
}

}  // namespace

// Between faces values are carried along coordinates, between surfaces (all faces of space being
// one of them) by weights; then what time and parameters lack is added.
ExpressionPtr blended(const Problem& problem, const std::vector<Piece>& pieces,
                      const Surfaces& surfaces, const std::vector<Sheet>& sheets) {
  Formula g(0), d(1);
  bool in_space = false;
  const auto take = [&](bool space) {
    for (const int c : coordinates_in_order(problem)) {
      const Across known = across(pieces, c);
      const bool is_space = problem.coordinates[std::size_t(c)].role == Role::space;
      if (!known.any() || (!sheets.empty() && is_space != space)) continue;
      g = corrected(problem, g, known, c);
      d = faded(problem, d, known, c);
      in_space = true;
    }
  };
  take(true);
  if (!sheets.empty()) {
    for (const Sheet& sheet : sheets)
      if (is_value_of_faces(problem, sheet.value, pieces)) g = Formula(sheet.value);
    g = interpolated(grouped(problem, surfaces, sheets,
                             in_space ? std::vector<Group>{{g, d}} : std::vector<Group>()));
    for (const Sheet& sheet : sheets) d = d * Formula(surfaces.all()[sheet.surface].function);
    take(false);
  }
  return (g + d * Formula(make_leaf(Kind::raw_output))).e;
}

}  // namespace pinn::hard
