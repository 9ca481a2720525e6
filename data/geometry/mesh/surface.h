#pragma once
#include <optional>

#include "data/geometry/mesh/bvh.h"
#include "data/geometry/mesh/edges.h"

namespace pinn::mesh {

/// A closed surface without crossings: what is inside, and how far.
///
/// The sign of a distance is that of the product with the normal of the nearest feature: of a
/// face, the sum of both faces' at an edge, of all faces' by their angles at a corner. That sum is
/// twice the integral of the directions x that lead out of the body, and minus twice that of those
/// that lead into it (Stokes): where a corner is nearest to an outer point p, all of the latter
/// have x . p <= 0, and so for inner points, so the sign is right even where several tips touch.
///
///   source   Baerentzen and Aanaes (2005), Signed Distance Computation Using the Angle Weighted
///            Pseudonormal, IEEE Transactions on Visualization and Computer Graphics 11, 243-253
class Surface {
 public:
  Surface(SurfaceMesh mesh, Edges edges, Bvh bvh);

  const SurfaceMesh& mesh() const { return mesh_; }
  const Bvh& bvh() const { return bvh_; }
  const Extent& extent() const { return extent_; }

  /// Negative inside; 0 as near to the surface as its points are rounded.
  double distance(const Vector& x) const;
  bool inside(const Vector& x) const;
  /// Along which the distance grows. On the surface the outward normal of the triangle, at edges
  /// that of the one with the lowest patch and number.
  Vector normal(const Vector& x) const;

 private:
  bool beside(const Vector& x) const;
  std::optional<bool> inside_by_rays(const Vector& x) const;
  bool outside_of(const Nearest& nearest, const Vector& x) const;
  Vector normal_of(const Nearest& nearest) const;
  Vector first_normal_around(const Vector& x, double distance) const;
  Vector face_normal(int triangle) const;

  const SurfaceMesh mesh_;
  const Edges edges_;
  const Bvh bvh_;
  Extent extent_;
  std::vector<Vector> corner_normals_;
  double rounding_ = 0;
};

}  // namespace pinn::mesh
