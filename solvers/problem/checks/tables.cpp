#include "solvers/problem/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/point_formula.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

constexpr int points_of_table = 2000, candidates_of_table = 200'000;

/// True if a formula is made of numbers and coordinates alone.
bool is_of_coordinates(const Expression& e) {
  return std::ranges::all_of(in_order(e), [](const Expression* node) {
    return node->kind == Kind::number || node->kind == Kind::coordinate || is_pointwise(*node);
  });
}

void require_known(const Text& text, const TableRequests& requests, std::span<const double> x,
                   const Problem& problem) {
  const std::optional<std::string> wrong = requests.beyond(x);
  if (!wrong) return;
  throw ConfigError(report(
      text, {0, text.value.size()},
      fmt::format("{}; that is at {}", *wrong, place_text(problem.coordinates, x)), beyond_fix));
}

}  // namespace

std::string beyond_text(const TableFunction& table, std::size_t input, double x) {
  const std::vector<double> range = table.ranges()[input];
  return fmt::format("{} is asked for at {} = {:.6g}, and knows it from {:.6g} to {:.6g}",
                     quoted(table.name()), table.options().inputs[input], x, range[0], range[1]);
}

TableRequests::TableRequests(const Expression& formula) {
  for (const Expression* e : in_order(formula)) {
    if (e->kind != Kind::lookup || e->table->options().outside != Outside::error) continue;
    if (!is_of_coordinates(*e)) continue;
    Request request{e->table, {}};
    for (const ExpressionPtr& input : e->inputs) request.arguments.emplace_back(*input);
    requests_.push_back(std::move(request));
  }
}

std::optional<std::string> TableRequests::beyond(std::span<const double> x) const {
  for (const Request& request : requests_) {
    std::vector<double> arguments;
    for (const Evaluator& argument : request.arguments)
      arguments.push_back(argument({.coordinates = x}));
    if (const int i = request.table->outside(arguments); i >= 0)
      return beyond_text(*request.table, std::size_t(i), arguments[std::size_t(i)]);
  }
  return {};
}

void require_known(const Text& text, const Expression& formula, std::span<const double> points,
                   const Problem& problem) {
  const TableRequests requests(formula);
  if (requests.empty()) return;
  const std::size_t d = problem.coordinates.size();
  for (std::size_t i = 0; i < points.size(); i += d)
    require_known(text, requests, points.subspan(i, d), problem);
}

void require_known(const Text& text, const Expression& formula, const Region& region,
                   const Problem& problem) {
  const TableRequests requests(formula);
  if (requests.empty()) return;
  std::vector<double> x(std::size_t(region.coordinates()));
  for (const Region* part : region.parts()) {
    const std::vector<Interval> box = part->bounds();
    for (const std::vector<bool>& corner : some_corners(x.size())) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = corner[i] ? box[i].upper : box[i].lower;
      if (part->inside(x, 1e-12)) require_known(text, requests, x, problem);
    }
    for (const std::vector<double>& y : spread_points(*part, points_of_table, candidates_of_table))
      require_known(text, requests, y, problem);
  }
}

}  // namespace pinn
