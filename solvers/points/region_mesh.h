#pragma once
#include <vector>

#include "data/geometry/simplices.h"
#include "solvers/residual/points.h"
#include "solvers/state/run.h"

namespace pinn {

/// A region at one value of time, cut into simplices.
struct RegionMesh {
  double time = 0;
  PointSet points;  ///< of all coordinates, with normals where the region has any
  std::size_t corners = 0;
  std::vector<std::int64_t> cells;
};

/// A region at the moments of a grid, as fine as that is in space: its interior, a plane, its
/// surface. Corners of the mesh lie on the surface of shapes to rounding; curves in the plane that
/// do not move keep their corners.
///
///   errors   ConfigError where a parameter is not fixed, or nothing is left
std::vector<RegionMesh> region_meshes(const Problem& problem, const Region& region,
                                      const std::vector<GridAxis>& grid);

}  // namespace pinn
