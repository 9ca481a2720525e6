#include "solvers/results/reference_error.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "autograd/core/error.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/evaluate.h"

namespace pinn {
namespace {

/// Enough for a layer in each coordinate, few enough to judge a model by often.
std::size_t points_for(std::size_t coordinates) {
  return coordinates == 1 ? 2048 : coordinates == 2 ? 8192 : 16384;
}

/// Drops points outside of the domain; the shares of the others add up to 1 again.
void keep_in_domain(Known& known, const Problem& problem) {
  if (!problem.domain) return;
  const std::size_t d = problem.coordinates.size();
  Known kept;
  kept.values.resize(known.values.size());
  double all = 0;
  for (std::size_t n = 0; n < known.points.count; ++n) {
    const std::span<const double> x = std::span(known.points.x).subspan(n * d, d);
    if (!in_domain(problem, x)) continue;
    kept.points.x.insert(kept.points.x.end(), x.begin(), x.end());
    kept.weights.push_back(known.weights[n]);
    for (std::size_t k = 0; k < known.values.size(); ++k)
      kept.values[k].push_back(known.values[k][n]);
    all += known.weights[n];
    ++kept.points.count;
  }
  if (kept.points.count == 0)
    throw ConfigError({"no point of the reference lies in the domain", "[reference]",
                       "give values inside of it"});
  for (double& weight : kept.weights) weight /= all;
  known = std::move(kept);
}

Known from_file(const Run& run) {
  const Solution& solution = *run.reference.solution;
  Known known;
  known.points.count = solution.count;
  known.points.x = solution.x;
  known.weights = shares_of(solution.x, run.problem.coordinates.size());
  known.values = solution.values;
  keep_in_domain(known, run.problem);
  return known;
}

Known from_formulas(const Run& run) {
  std::vector<ExpressionPtr> formulas;
  for (const ReferenceQuantity& q : run.reference.quantities) formulas.push_back(q.exact);
  std::vector<Interval> box;
  for (const Coordinate& c : run.problem.coordinates) box.push_back({c.lower, c.upper});
  const std::size_t d = box.size();
  WeightedPoints points = formula_points(formulas, box, points_for(d), run.reference.gauge);
  Known known;
  known.points.count = points.count;
  known.points.x = std::move(points.x);
  known.weights = std::move(points.weights);
  keep_in_domain(known, run.problem);
  for (const ExpressionPtr& formula : formulas) {
    const Evaluator exact(*formula);
    std::vector<double>& values = known.values.emplace_back();
    for (std::size_t n = 0; n < known.points.count; ++n)
      values.push_back(exact({.coordinates = std::span(known.points.x).subspan(n * d, d)}));
  }
  return known;
}

void check_finite(const Known& known, const Problem& problem) {
  for (std::size_t k = 0; k < known.values.size(); ++k)
    for (std::size_t n = 0; n < known.points.count; ++n)
      if (!std::isfinite(known.values[k][n]))
        throw ConfigError({fmt::format("the exact {} is {} at {}", known.names[k],
                                       known.values[k][n], place(known, problem, n)),
                           "[reference] exact",
                           "write a formula that is finite inside the domain"});
}

void find_groups(Known& known, const std::vector<bool>& gauge) {
  std::map<std::vector<double>, std::size_t> group_at;
  const std::size_t d = gauge.size();
  for (std::size_t n = 0; n < known.points.count; ++n) {
    std::vector<double> others;
    for (std::size_t i = 0; i < d; ++i)
      if (!gauge[i]) others.push_back(known.points.x[n * d + i]);
    known.groups.push_back(group_at.emplace(std::move(others), group_at.size()).first->second);
  }
  known.group_count = group_at.size();
  if (known.group_count == known.points.count)
    throw ConfigError(
        {"no two points of the reference agree in the coordinates beside those of "
         "the gauge, so there are no means to take",
         "[reference] gauge", "give a reference on a grid, or leave the gauge out"});
}

}  // namespace

Known known_of(const Run& run) {
  const ReferenceOptions& reference = run.reference;
  if (reference.quantities.empty()) return {};
  if (reference.solution && reference.solution->count == 0) return {};  // none in this window
  Known known = reference.solution ? from_file(run) : from_formulas(run);
  for (const ReferenceQuantity& q : reference.quantities) {
    known.names.push_back(q.name);
    known.quantities.push_back(q.expression);
  }
  check_finite(known, run.problem);
  if (!reference.gauge.empty()) find_groups(known, reference.gauge);
  return known;
}

std::string place(const Known& known, const Problem& problem, std::size_t point) {
  const std::size_t d = problem.coordinates.size();
  return place_text(problem.coordinates, {known.points.x.data() + point * d, d});
}

}  // namespace pinn
