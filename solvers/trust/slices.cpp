#include "solvers/trust/trust_of.h"

#include <algorithm>
#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/state/choices.h"

namespace pinn {
namespace {

constexpr std::size_t slices = 4;

Slices along(const Coordinate& c, std::size_t i, const PointSet& points, std::size_t width,
             const std::vector<double>& values) {
  std::vector<double> sums(slices), counts(slices);
  for (std::size_t n = 0; n < points.count; ++n) {
    const double share = (points.x[n * width + i] - c.lower) / (c.upper - c.lower);
    const std::size_t s = std::size_t(std::clamp(share * slices, 0.0, slices - 1.0));
    sums[s] += values[n] * values[n];
    ++counts[s];
  }
  Slices found{.term = {}, .coordinate = c.name, .lower = c.lower, .upper = c.upper};
  for (std::size_t s = 0; s < slices; ++s)
    found.residuals.push_back(std::sqrt(sums[s] / counts[s]));
  return found;
}

}  // namespace

std::vector<Slices> residual_slices(const Run& run, const std::shared_ptr<const Model>& model,
                                    std::span<const double> p, ThreadPool& pool,
                                    const std::shared_ptr<StepCache>& cache) {
  const std::vector<Coordinate>& coordinates = run.problem.coordinates;
  std::vector<Slices> all;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    const Requirement& requirement = run.problem.requirements[r];
    if (requirement.kind != Requirement::Kind::equation || is_integral(requirement)) continue;
    const PointSet points = held_out_points(run, r);
    std::vector<ExpressionPtr> residuals;
    for (const Residual& residual : requirement.residuals) residuals.push_back(residual.expression);
    const auto values = Formulas(model, residuals, cache, device_of(run).device)(p, points, pool);
    for (std::size_t k = 0; k < values.size(); ++k)
      for (std::size_t i = 0; i < coordinates.size(); ++i) {
        all.push_back(along(coordinates[i], i, points, coordinates.size(), values[k]));
        all.back().term = requirement.residuals[k].name;
      }
  }
  return all;
}

}  // namespace pinn
