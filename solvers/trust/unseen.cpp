#include "solvers/trust/hidden.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "solvers/points/point_sets.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/state/choices.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

/// As many points as training has, times; and bounds.
constexpr std::size_t points_per_point = 4, least_points_seen = 400, most_points_seen = 4000;
constexpr int most_nodes_of_formula = 4000;  ///< longer ones take too long
constexpr double worth_telling = 3;

/// The residual as a formula of the coordinates, with smooth functions in the network's place.
std::optional<ExpressionPtr> with_smooth_fields(const Problem& problem, const ExpressionPtr& e) {
  for (const Kind kind : {Kind::unknown, Kind::normal, Kind::column, Kind::elsewhere, Kind::whole,
                          Kind::integral, Kind::by_region, Kind::before})
    if (contains(*e, kind)) return {};
  for (const ExpressionPtr& output : problem.outputs)
    if (output && (contains(*output, Kind::unknown) || contains(*output, Kind::before))) return {};
  const ExpressionPtr formula = with_fields(e, possible_fields(problem, 0));
  if (formula->nodes > most_nodes_of_formula) return {};
  return formula;
}

PointSet in_region(const WeightedPoints& all, const Region& region, std::size_t width,
                   std::vector<double>& weights) {
  PointSet some;
  double sum = 0;
  for (std::size_t i = 0; i < all.count; ++i) {
    const std::span<const double> x = std::span(all.x).subspan(i * width, width);
    if (!region.inside(x, 0)) continue;
    some.x.insert(some.x.end(), x.begin(), x.end());
    weights.push_back(all.weights[i]);
    sum += all.weights[i];
    ++some.count;
  }
  for (double& w : weights) w /= sum;
  return some;
}

std::vector<Interval> box_of(const Problem& problem) {
  std::vector<Interval> box;
  for (const Coordinate& c : problem.coordinates) box.push_back({c.lower, c.upper});
  return box;
}

}  // namespace

std::vector<Unseen> unseen_residuals(const Run& run, const std::shared_ptr<const Model>& model,
                                     std::span<const double> p, ThreadPool& pool,
                                     const std::shared_ptr<StepCache>& cache) {
  const std::size_t width = run.problem.coordinates.size();
  std::vector<Unseen> found;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    const Requirement& requirement = run.problem.requirements[r];
    if (requirement.kind != Requirement::Kind::equation || is_integral(requirement)) continue;
    const PointSet held_out = held_out_points(run, r);
    const std::size_t count = std::clamp(points_per_point * std::size_t(run.sampling[r].count),
                                         least_points_seen, most_points_seen);
    for (const Residual& residual : requirement.residuals) {
      const auto formula = with_smooth_fields(run.problem, residual.expression);
      if (!formula) continue;
      std::vector<double> weights;
      const PointSet points = in_region(formula_points({*formula}, box_of(run.problem), count),
                                        *requirement.region, width, weights);
      if (points.count == 0) continue;
      Formulas values(model, {residual.expression}, cache, device_of(run).device);
      double there = 0, most = 0, here = 0;
      std::size_t at = 0;
      const std::vector<double> looked_at = values(p, points, pool)[0];
      for (std::size_t i = 0; i < points.count; ++i) {
        const double part = weights[i] * looked_at[i] * looked_at[i];
        if (part > most) most = part, at = i;
        there += part;
      }
      const std::vector<double> judged = values(p, held_out, pool)[0];
      for (const double v : judged) here += v * v / double(judged.size());
      if (there > worth_telling * worth_telling * here)
        found.push_back({residual.name,
                         std::sqrt(there / here),
                         {points.x.begin() + std::ptrdiff_t(at * width),
                          points.x.begin() + std::ptrdiff_t((at + 1) * width)}});
    }
  }
  return found;
}

}  // namespace pinn
