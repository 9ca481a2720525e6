#include "solvers/trust/fit.h"

#include <algorithm>
#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"

namespace pinn {
namespace {

constexpr std::size_t pairs_at_once = 256;

/// A GPU gives no rows of J, and compiles other steps.
LossOptions on_the_cpu(LossOptions options) {
  options.dtype = DType::float64;
  if (!options.device.is_cpu()) options.cache.reset();
  options.device = Device::cpu;
  options.products = Products::exact;
  return options;
}

std::vector<double> scales(const PointSet& points, double weight, std::size_t term) {
  const std::size_t width = points.weights.size() / points.count;
  std::vector<double> all;
  for (std::size_t i = 0; i < points.count; ++i) {
    const double own = width == 0 ? 1 : points.weights[i * width + (width > 1 ? term : 0)];
    all.push_back(std::sqrt(weight * own / double(points.count)));
  }
  return all;
}

}  // namespace

Fit::Fit(const Run& run, std::shared_ptr<const Model> model, std::span<const double> p,
         const TrainState& state, const LossOptions& options, ThreadPool& pool)
    : p_(p), pool_(pool), loss_(std::move(model), on_the_cpu(options), pool) {
  loss_.set_weights(state.weights);
  std::size_t term = 0, row = 0;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    const Requirement& requirement = run.problem.requirements[r];
    PointSet points = points_in_use(run, r, state.draws[r]);
    const bool integral = is_integral(requirement);
    const std::size_t rows = integral ? 1 : points.count;
    const std::size_t terms = terms_of(requirement, run.problem).size();
    for (std::size_t k = 0; k < terms; ++k, ++term, row += rows)
      terms_.push_back({loss_.terms()[term].name, state.weights[term], requirement.data.has_value(),
                        requirement.data ? requirement.data->sigma : 1,
                        requirement.data && requirement.data->sigma_known(), row,
                        integral ? std::vector{std::sqrt(state.weights[term])}
                                 : scales(points, state.weights[term], k)});
    loss_.set_points(r, std::move(points));
  }
  residuals_.resize(row);
  loss_.squares().residual(p_, residuals_);
}

void Fit::add(const TermRows& t, NormalEquations& sums) {
  std::vector<double> rows;
  for (std::size_t at = 0; at < t.scales.size(); at += pairs_at_once) {
    const std::size_t count = std::min(pairs_at_once, t.scales.size() - at);
    rows.resize(count * p_.size());
    loss_.squares().jacobian_rows(p_, t.first + at, count, rows);
    sums.add(rows, residuals(t).subspan(at, count), &pool_);
  }
}

std::vector<double> Fit::gradient(const TermRows& t) {
  std::vector<double> only(residuals_.size()), product(p_.size());
  std::ranges::copy(residuals(t), only.begin() + std::ptrdiff_t(t.first));
  loss_.squares().transposed_times(p_, only, product);
  return product;
}

std::vector<double> Fit::times(std::span<const double> v) {
  std::vector<double> rows(residuals_.size());
  loss_.squares().jacobian_times(p_, v, rows);
  return rows;
}

}  // namespace pinn
