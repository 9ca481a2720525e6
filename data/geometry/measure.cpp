#include "data/geometry/measure.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

std::vector<std::vector<double>> spread_points(const Region& part, int count, long candidates) {
  const Sampler& sampler = part.sampler();
  SpreadPoints points(sampler.numbers());
  if (sampler.numbers() == 0) count = 1;
  std::vector<std::vector<double>> all;
  std::vector<double> x(std::size_t(part.coordinates()));
  for (long k = 0; k < candidates && int(all.size()) < count; ++k)
    if (sampler.sample(points.next(), x, {})) all.push_back(x);
  return all;
}

double kept_share(const Sampler& sampler, long candidates) {
  return double(kept_of(sampler, candidates, candidates)) / double(candidates);
}

bool keeps_any(const Sampler& sampler, long candidates) {
  return kept_of(sampler, candidates, 1) > 0;
}

std::vector<GaussPoint> gauss_points(int n) {
  std::vector<GaussPoint> points;
  for (int k = 0; k < n; ++k) {
    double x = std::cos(std::numbers::pi * (k + 0.75) / (n + 0.5)), slope = 1;
    for (int again = 0; again < 20; ++again) {  // Newton's method
      double p = 1, before = 0;
      for (int m = 1; m <= n; ++m) {
        const double next = ((2 * m - 1) * x * p - (m - 1) * before) / m;
        before = p;
        p = next;
      }
      slope = n * (before - x * p) / (1 - x * x);
      x -= p / slope;
    }
    points.push_back({x, 2 / ((1 - x * x) * slope * slope)});
  }
  return points;
}

std::vector<GaussPoint> gauss_points(int n, const Interval& over) {
  std::vector<GaussPoint> points = gauss_points(n);
  for (auto& [x, weight] : points) {
    x = std::lerp(over.lower, over.upper, (1 + x) / 2);
    weight *= (over.upper - over.lower) / 2;
  }
  return points;
}

std::vector<CubePoint> cube_rule(int dimension) {
  constexpr int along[] = {1, 128, 22, 8};
  if (dimension >= int(std::size(along))) {
    constexpr int count = 512;
    std::vector<CubePoint> points;
    SpreadPoints spread(dimension);
    for (int k = 0; k < count; ++k) {
      const std::span<const double> place = spread.next();
      points.push_back({{place.begin(), place.end()}, 1.0 / count});
    }
    return points;
  }
  std::vector<CubePoint> points(1);
  for (int c = 0; c < dimension; ++c) {
    std::vector<CubePoint> more;
    for (const CubePoint& point : points)
      for (const auto& [x, weight] : gauss_points(along[dimension])) {
        more.push_back(point);
        more.back().place.push_back((1 + x) / 2);
        more.back().weight *= weight / 2;
      }
    points = std::move(more);
  }
  return points;
}

double measure_of(const Sampler& sampler) {
  if (const double known = sampler.measure(); known > 0) return known;
  constexpr long few = 1 << 14, candidates = 1 << 18;
  if (kept_of(sampler, few, few) == few) return sampler.whole();
  return sampler.whole() * double(kept_of(sampler, candidates, candidates)) / candidates;
}

}  // namespace pinn
