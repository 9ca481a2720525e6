#pragma once
#include "data/geometry/shape.h"

namespace pinn {

/// Evenly spread points of the unit cube in d dimensions, one after another: multiples of the
/// powers of 1 / r, r the root of r^(d+1) = r + 1.
///
///   source  Roberts (2018), The unreasonable effectiveness of quasirandom sequences
class SpreadPoints {
 public:
  explicit SpreadPoints(int dimension);
  std::span<const double> next();

 private:
  std::vector<double> steps_, cube_;
  double index_ = 0;
};

/// The share of so many evenly spread candidates that is kept.
double kept_share(const Sampler& sampler, long candidates);

/// Whether any of so many evenly spread candidates is kept.
bool keeps_any(const Sampler& sampler, long candidates);

/// Points in (-1, 1) and their weights that integrate polynomials up to degree 2 n - 1 exactly: the
/// roots of Legendre's polynomial.
struct GaussPoint {
  double x, weight;
};
std::vector<GaussPoint> gauss_points(int n);

/// Some hundred points of the unit cube in d dimensions, and weights that make means of smooth
/// functions of them: Gauss's along each of up to three dimensions, evenly spread ones in more.
struct CubePoint {
  std::vector<double> place;
  double weight = 1;
};
std::vector<CubePoint> cube_rule(int dimension);

}  // namespace pinn
