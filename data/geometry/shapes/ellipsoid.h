#pragma once
#include "data/geometry/samplers.h"
#include "data/geometry/shapes/arc_length.h"

/// Ellipses and ellipsoids around the origin, their radii along the coordinates.
namespace pinn::shapes {

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
