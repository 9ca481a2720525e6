#pragma once
#include <cstdint>
#include <vector>

#include "data/files/fields.h"

namespace pinn {

/// Points and the cells between them, all of one kind.
struct Mesh {
  std::vector<double> points;       ///< x y z of one after the other; axes that are missing are 0
  std::size_t corners = 1;          ///< of a cell: 1 vertex, 2 line, 4 quadrilateral, 8 hexahedron
  std::vector<std::int64_t> cells;  ///< points of the corners, in VTK's order, cell by cell

  std::size_t point_count() const { return points.size() / 3; }
  std::size_t cell_count() const { return cells.size() / corners; }
};

/// The mesh over axes of a grid, the first of them x (at most three), its points in the order of
/// the fields' values: `axes` and how far apart neighbors along each lie, in points. Along an axis
/// with one position it does not extend.
struct MeshAxis {
  const std::vector<double>* positions;
  std::size_t stride;
};
Mesh grid_mesh(const std::vector<MeshAxis>& axes);

/// A vertex per point, at the coordinates given.
Mesh cloud_mesh(const std::vector<const std::vector<double>*>& coordinates);

}  // namespace pinn
