#include "solvers/points/adaptive_points.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "solvers/points/point_sets.h"

namespace pinn {

Survey::Survey(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
               ThreadPool& pool)
    : run_(run), loss_(std::move(model), loss, pool) {
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    samples_.push_back(sample_points(run, r));
    loss_.set_points(r, samples_[r]);
  }
}

std::vector<double> Survey::operator()(std::span<const double> p, std::span<const double> weights,
                                       std::size_t r, const PointSet& points) {
  std::size_t first = 0;  // an integral has one row, whatever nodes it has
  for (std::size_t i = 0; i < r; ++i)
    first += loss_.rows(i) * terms_of(run_.problem.requirements[i], run_.problem).size();
  const std::size_t terms = terms_of(run_.problem.requirements[r], run_.problem).size();
  loss_.set_weights(weights);
  loss_.set_points(r, points);
  rows_.resize(loss_.squares().rows());
  loss_.squares().residual(p, rows_);
  loss_.set_points(r, samples_[r]);

  std::vector<double> sizes;
  const std::size_t d = run_.problem.coordinates.size();
  for (std::size_t i = 0; i < points.count; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < terms; ++k) {
      const double row = rows_[first + k * points.count + i];
      square += row * row;
    }
    sizes.push_back(std::sqrt(double(points.count) * square));
    if (!std::isfinite(sizes.back()))
      throw NumericsError(
          {fmt::format("the residual of '{}' is not finite at {}",
                       run_.problem.requirements[r].name,
                       place_text(run_.problem.coordinates, {points.x.data() + i * d, d})),
           "where adaptive sampling looked for new points",
           "keep the equation finite in all of its region, or leave "
           "`sampling` out of the stage"});
  }
  return sizes;
}

}  // namespace pinn
