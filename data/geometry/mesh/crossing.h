#pragma once
#include <array>
#include <vector>

#include "data/geometry/mesh/bvh.h"

namespace pinn {
class ThreadPool;
struct SurfaceMesh;
}  // namespace pinn

namespace pinn::mesh {

/// True if two triangles, given by their corners and the numbers of these, meet anywhere but in the
/// corners and sides that they share: exactly.
bool meet(const Corners& s, const std::array<int, 3>& s_points, const Corners& t,
          const std::array<int, 3>& t_points);

/// Pairs of triangles of a surface that cross or touch each other, in the order of their numbers.
struct Crossings {
  std::vector<std::array<int, 2>> pairs;
  bool all = true;  ///< or more were not looked for
};

Crossings crossings_of(const SurfaceMesh& mesh, const Bvh& bvh, ThreadPool& pool);

}  // namespace pinn::mesh
