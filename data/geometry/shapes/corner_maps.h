#pragma once
#include "data/geometry/samplers.h"

/// Triangles, tetrahedra and their kin, in any number of dimensions.
namespace pinn::shapes {

using Point = std::vector<double>;

/// The volume that edges from one corner span, over the product of their lengths: 0 for flat ones.
double flatness(const std::vector<Point>& corners);

/// Point nearest to x of the simplex of some corners, or of the plane through them.
Point nearest_of(const std::vector<Point>& corners, const Point& x, bool within);

/// The interior of d + 1 corners, and a piece of a surface with d of them and a normal.
SamplerPtr simplex_interior(std::vector<Point> corners);
SamplerPtr simplex_piece(std::vector<Point> corners, Point normal);

Point unit_of(Point a);

}  // namespace pinn::shapes
