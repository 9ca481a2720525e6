#pragma once
#include "data/geometry/samplers.h"
#include "data/geometry/shapes/kinds.h"
#include "data/geometry/shapes/outline.h"

namespace pinn::shapes {

/// A polygon as unions and intersections of the half-planes of its edges, each of them once. Their
/// signed distances, joined by least and most, are a bound of the polygon's: zero on its outline
/// alone, and there as steep as the distance.
///
///   source  Dobkin, Guibas, Hershberger, Snoeyink (1988), An efficient algorithm for finding the
///           CSG representation of a simple polygon, Computer Graphics 22(4), 31-40
struct HalfPlanes {
  struct Plane {
    double x, y, offset;  ///< x X + y Y - offset is the signed distance
    bool left_out;        ///< an edge that is none of a surface
  };
  std::vector<Plane> planes;
  /// Set that is joined: one plane, or the parts. Intersections have unions for parts, and so on.
  struct Node {
    bool all = true;  ///< an intersection
    std::size_t plane = 0;
    std::vector<Node> parts = {};
  };
  Node root;

  /// On the axis x = 0 edges are left out where a polygon turns about it.
  HalfPlanes(const Outline& outline, bool turns);
};

/// Distances of polygons and what they sweep, where their corners are numbers.
Spelled spell_polygon(const Values<Spelled>& values, Place<Spelled> x);
Spelled spell_prism(const Values<Spelled>& values, Place<Spelled> x);
Spelled spell_revolution(const Values<Spelled>& values, Place<Spelled> x);

/// Triangles, tetrahedra and their kin, in any number of dimensions.

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
