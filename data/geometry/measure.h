#pragma once
#include "data/geometry/region.h"
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

/// So many evenly spread points of a part of a region, one of a part that is a point; fewer where
/// so many candidates hold no more.
std::vector<std::vector<double>> spread_points(const Region& part, int count, long candidates);

/// The share of so many evenly spread candidates that is kept.
double kept_share(const Sampler& sampler, long candidates);

/// True if any of so many evenly spread candidates is kept.
bool keeps_any(const Sampler& sampler, long candidates);

/// Points in (-1, 1) and their weights that integrate polynomials up to degree 2 n - 1 exactly: the
/// roots of Legendre's polynomial. Or those of another interval.
struct GaussPoint {
  double x, weight;
};
std::vector<GaussPoint> gauss_points(int n);
std::vector<GaussPoint> gauss_points(int n, const Interval& over);

/// Some hundred points of the unit cube in d dimensions, and weights that make means of smooth
/// functions of them: Gauss's along each of up to three dimensions, evenly spread ones in more.
struct CubePoint {
  std::vector<double> place;
  double weight = 1;
};
std::vector<CubePoint> cube_rule(int dimension);

}  // namespace pinn
