#pragma once
#include "autograd/core/error.h"
#include "data/geometry/mesh/surface.h"

namespace pinn {
class ThreadPool;
}

namespace pinn::mesh {

/// The surface, checked: closed, turned outward, crossing itself nowhere. What can be told how it
/// was meant is mended with a warning: triangles with a corner twice are left out, a surface that
/// is inside out as a whole is turned, and the charts of Gmsh are turned alike.
///
///   errors   ConfigError with a report for each kind of mistake
Surface checked(SurfaceMesh mesh, ThreadPool& pool);

/// The volume within, by the divergence theorem: negative for a surface that is inside out.
double volume_of(const SurfaceMesh& mesh);

/// The corners of all triangles.
std::vector<Corners> corners_of(const SurfaceMesh& mesh);

/// Mistakes found one after the other.
class Mistakes {
 public:
  explicit Mistakes(const SurfaceMesh& mesh) : mesh_(mesh) {}

  /// triangle: one that the mistake is at, numbered from 0.
  void add(const std::string& what, int triangle, const std::string& fix);
  /// Throws what was found, if anything.
  void tell() const;

 private:
  const SurfaceMesh& mesh_;
  std::vector<Report> reports_;
};

/// Which shells of a closed surface have to be turned round, so that outer ones are turned outward
/// and cavities inward: all, with a warning, or in a surface that is not oriented, any.
///
///   errors   ConfigError when some are wrong and it cannot be told which
std::vector<bool> shells_to_turn(const SurfaceMesh& mesh, const Bvh& bvh, const Shells& shells);

/// Reports open edges: holes, each with its place and length, or points that ought to be one.
void find_holes(const SurfaceMesh& mesh, const Edges& edges, Mistakes& mistakes);

}  // namespace pinn::mesh
