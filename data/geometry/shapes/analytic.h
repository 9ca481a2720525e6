#pragma once
#include "data/geometry/samplers.h"
#include "data/geometry/shapes/values.h"

namespace pinn::shapes {

/// Parts of a shape beside the formula for its distance.
struct Parts {
  std::vector<Interval> bounds;
  SamplerPtr interior;
  Pieces surface;
};

/// The gradient over its length; along the first coordinate where there is none.
void normalize(std::span<double> n);

/// A shape whose distance is a formula: Formula<T> is made of Values<T> and gives the distance of a
/// Place<T>, exactly.
template <template <class> class Formula> class Analytic : public SpatialShape {
 public:
  Analytic(const Values<double>& values, Parts parts)
      : parts_(std::move(parts)), formula_(values), dual_(as<Dual>(values)) {}

  int dimension() const override { return int(parts_.bounds.size()); }
  std::vector<Interval> bounds() const override { return parts_.bounds; }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override { return formula_(x); }
  void normal(std::span<const double> x, std::span<double> n) const override {
    std::vector<Dual> at(x.begin(), x.end());
    for (std::size_t k = 0; k < at.size(); ++k) {
      at[k].slope = 1;
      n[k] = dual_(Place<Dual>(at)).slope;
      at[k].slope = 0;
    }
    normalize(n);
  }
  SamplerPtr interior() const override { return parts_.interior; }
  Pieces surface() const override { return parts_.surface; }

 private:
  const Parts parts_;
  const Formula<double> formula_;
  const Formula<Dual> dual_;
};

template <template <class> class Formula>
ShapePtr analytic(const Values<double>& values, Parts parts) {
  return std::make_shared<Analytic<Formula>>(values, std::move(parts));
}

}  // namespace pinn::shapes
