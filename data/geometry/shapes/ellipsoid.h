#pragma once
#include <cmath>
#include <utility>

#include "data/geometry/samplers.h"
#include "data/geometry/shapes/arcs.h"

namespace pinn::shapes {

/// The root of a rising function between two numbers, to rounding: Newton's steps, and halves where
/// they leave what is known of the place. `at` gives the function and its slope.
template <class At> double rising_root(double lower, double upper, double start, const At& at) {
  double t = start;
  for (int again = 0; again < 100; ++again) {
    const auto [value, slope] = at(t);
    (value > 0 ? upper : lower) = t;
    const double step = value / slope;
    if (std::fabs(step) <= 1e-15 * std::fabs(t)) return t;
    const double next = t - step;
    t = next > lower && next < upper ? next : (lower + upper) / 2;
  }
  return t;
}

/// Ellipses and ellipsoids around the origin, their radii along the coordinates.

/// The signed distance of y, and the point of the surface that is nearest.
///
///   source  Eberly (2013), Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid
double ellipsoid_foot(const std::vector<double>& radii, std::span<const double> y,
                      std::span<double> foot);

/// The ellipse by its length, and the surface of the ellipsoid in space by its area: places only.
SamplerPtr ellipse_outline(const std::vector<double>& radii);
SamplerPtr ellipsoid_skin(const std::vector<double>& radii);

/// The angle of a share of a whole turn, by one quarter of it.
double angle_at(const InverseIntegral& quarter, double share);

}  // namespace pinn::shapes
