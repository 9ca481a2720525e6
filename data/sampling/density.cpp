#include "data/sampling/density.h"

#include <algorithm>

#include "data/geometry/measure.h"

namespace pinn {
namespace {

constexpr int points_of_part = 8192, candidates_of_part = 200'000;

}  // namespace

BoundedDensity::BoundedDensity(Density density, const Region& region)
    : density_(std::move(density)) {
  double measure = 0;
  for (const Region* part : region.parts()) {
    const auto points = spread_points(*part, points_of_part, candidates_of_part);
    double sum = 0, inverses = 0;
    for (const std::vector<double>& x : points) {
      const double value = density_(x);
      most_ = std::max(most_, value);
      sum += value;
      inverses += 1 / value;
    }
    const double count = double(std::max<std::size_t>(points.size(), 1));
    const double share = part->measure() / count;
    means_.push_back(sum / count);
    mean_ += share * sum;
    mean_of_inverse_ += share * inverses;
    measure += part->measure();
  }
  mean_ /= measure;
  mean_of_inverse_ /= measure;
}

double BoundedDensity::worth() const { return 1 / (mean_ * mean_of_inverse_); }

double BoundedDensity::operator()(std::span<const double> x) const {
  return std::min(density_(x), most_);
}

std::vector<double> BoundedDensity::weights(std::span<const double> x, std::size_t count) const {
  std::vector<double> weights;
  const std::size_t d = x.size() / std::max<std::size_t>(count, 1);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    weights.push_back(most_ / (*this)(x.subspan(i * d, d)));
    sum += weights.back();
  }
  for (double& w : weights) w *= double(count) / sum;
  return weights;
}

bool DenseSampler::sample(std::span<const double> cube, std::span<double> x,
                          std::span<double> n) const {
  if (!set_.sample(cube.first(cube.size() - 1), x, n)) return false;
  return cube.back() * density_.most() < density_(x);
}

}  // namespace pinn
