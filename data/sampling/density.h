#pragma once
#include <functional>
#include <span>
#include <vector>

#include "data/geometry/region.h"
#include "data/geometry/shape.h"

namespace pinn {

using Density = std::function<double(std::span<const double> x)>;

/// A density on a region as far as evenly spread points of it tell: above what they saw it counts
/// as that. So it is bounded, and a function of region and density alone.
class BoundedDensity {
 public:
  BoundedDensity(Density density, const Region& region);

  double operator()(std::span<const double> x) const;
  double most() const { return most_; }
  /// How many evenly spread points one point by it is worth, where what is averaged is alike
  /// everywhere: 1 / (mean of the density * mean of its inverse), 1 of one that is even.
  double worth() const;
  /// How many of all candidates are kept.
  double kept_share() const { return mean_ / most_; }
  /// Its mean on each of the region's parts.
  const std::vector<double>& means() const { return means_; }
  /// 1 / density of points [count, coordinates], scaled to the mean 1.
  std::vector<double> weights(std::span<const double> x, std::size_t count) const;

 private:
  Density density_;
  double most_ = 0, mean_ = 0, mean_of_inverse_ = 0;
  std::vector<double> means_;
};

/// Points of a set by a density: of another sampler's those are kept that one number more of the
/// cube allows.
class DenseSampler : public Sampler {
 public:
  /// Both outlive it.
  DenseSampler(const Sampler& set, const BoundedDensity& density) : set_(set), density_(density) {}

  int dimension() const override { return set_.dimension(); }
  int numbers() const override { return set_.numbers() + 1; }
  double whole() const override { return set_.whole(); }
  bool keeps_all() const override { return false; }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override;

 private:
  const Sampler& set_;
  const BoundedDensity& density_;
};

}  // namespace pinn
