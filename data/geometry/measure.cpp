#include "data/geometry/measure.h"

#include <algorithm>
#include <cmath>

namespace pinn {
namespace {

/// How many of so many candidates are kept; the count ends at `enough`.
long kept_of(const Sampler& sampler, long candidates, long enough) {
  SpreadPoints points(sampler.numbers());
  std::vector<double> x(std::size_t(sampler.dimension()));
  long kept = 0;
  for (long k = 0; k < candidates && kept < enough; ++k)
    kept += sampler.sample(points.next(), x, {});
  return kept;
}

}  // namespace

SpreadPoints::SpreadPoints(int dimension) : cube_(std::size_t(dimension)) {
  double root = 1.5;
  for (int k = 0; k < 60; ++k) root = std::pow(1 + root, 1.0 / (dimension + 1));
  double step = 1;
  for (int k = 0; k < dimension; ++k) steps_.push_back(step /= root);
}

std::span<const double> SpreadPoints::next() {
  ++index_;
  for (std::size_t c = 0; c < cube_.size(); ++c) {
    const double turn = 0.5 + index_ * steps_[c];
    cube_[c] = std::clamp(turn - std::floor(turn), 1e-15, 1 - 1e-15);
  }
  return cube_;
}

double kept_share(const Sampler& sampler, long candidates) {
  return double(kept_of(sampler, candidates, candidates)) / double(candidates);
}

bool keeps_any(const Sampler& sampler, long candidates) {
  return kept_of(sampler, candidates, 1) > 0;
}

double measure_of(const Sampler& sampler) {
  if (const double known = sampler.measure(); known > 0) return known;
  constexpr long few = 1 << 14, candidates = 1 << 18;
  if (kept_of(sampler, few, few) == few) return sampler.whole();
  return sampler.whole() * double(kept_of(sampler, candidates, candidates)) / candidates;
}

}  // namespace pinn
