#pragma once
#include <vector>

#include "data/geometry/mesh.h"
#include "data/geometry/mesh/vector.h"

namespace pinn::mesh {

/// Side k of triangle t, from its corner k to the next one, has the number 3 t + k.
inline int triangle_of(int side) { return side / 3; }
inline int next_side(int side) { return side % 3 == 2 ? side - 2 : side + 1; }
inline int previous_side(int side) { return side % 3 == 0 ? side + 2 : side - 1; }

/// The points that a side leads from and to.
inline int from(const SurfaceMesh& mesh, int side) {
  return mesh.triangles[std::size_t(side / 3)][std::size_t(side % 3)];
}
inline int to(const SurfaceMesh& mesh, int side) { return from(mesh, next_side(side)); }

inline Corners corners_of(const SurfaceMesh& mesh, std::size_t triangle) {
  Corners t;
  for (int k = 0; k < 3; ++k) t[k] = mesh.points[std::size_t(mesh.triangles[triangle][k])];
  return t;
}

/// How the triangles of a surface hang together.
struct Edges {
  std::vector<int> other;     ///< [3 triangles]: the side at the same edge; -1 where it is not one
  std::vector<int> open;      ///< sides at whose edge no other triangle is
  std::vector<int> crowded;   ///< sides at an edge of three triangles or more, the first of each
  std::vector<int> most;      ///< [crowded]: how many triangles
  std::vector<int> same_way;  ///< sides whose neighbor runs along the edge in the same direction
};

Edges edges_of(const SurfaceMesh& mesh);

/// Pairs of triangles with the same three corners.
std::vector<std::array<int, 2>> duplicates(const SurfaceMesh& mesh);

/// The connected pieces of a surface.
struct Shells {
  std::vector<int> of;       ///< [triangles]
  std::vector<bool> turned;  ///< [triangles]: against the first one of its shell
  std::vector<int> first;    ///< [shells]: a triangle
  std::vector<int> size;     ///< [shells]: triangles
  bool one_sided = false;    ///< no order of corners is right for all of a shell
  int count() const { return int(first.size()); }
};

Shells shells_of(const SurfaceMesh& mesh, const Edges& edges);

}  // namespace pinn::mesh
