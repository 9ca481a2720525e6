#include "data/files/fields/formats.h"

#include <array>
#include <numeric>

namespace pinn {
namespace {

std::size_t points_of(const std::vector<MeshAxis>& axes) {
  std::size_t count = 1;
  for (const MeshAxis& axis : axes) count *= axis.positions->size();
  return count;
}

/// The point at which cell `number` begins; the number runs fastest along the first axis.
std::int64_t first_corner(const std::vector<MeshAxis>& axes, std::size_t number) {
  std::size_t first = 0;
  for (const MeshAxis& axis : axes) {
    const std::size_t cells = axis.positions->size() - 1;
    first += number % cells * axis.stride;
    number /= cells;
  }
  return std::int64_t(first);
}

}  // namespace

Mesh grid_mesh(const std::vector<MeshAxis>& axes) {
  Mesh mesh;
  const std::size_t points = points_of(axes);
  mesh.points.assign(3 * points, 0.0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::vector<double>& positions = *axes[i].positions;
    for (std::size_t p = 0; p < points; ++p)
      mesh.points[3 * p + i] = positions[p / axes[i].stride % positions.size()];
  }

  std::vector<MeshAxis> extended;
  std::size_t cells = 1;
  for (const MeshAxis& axis : axes)
    if (axis.positions->size() > 1) {
      extended.push_back(axis);
      cells *= axis.positions->size() - 1;
    }
  mesh.corners = std::size_t(1) << extended.size();
  const std::array<std::size_t, 4> around = {0, 1, 3, 2};  // corners of a quadrilateral go round
  mesh.cells.reserve(cells * mesh.corners);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::int64_t first = first_corner(extended, cell);
    for (std::size_t k = 0; k < mesh.corners; ++k) {
      const std::size_t bits = (k & 4) | around[k & 3];
      std::int64_t corner = first;
      for (std::size_t i = 0; i < extended.size(); ++i)
        corner += std::int64_t((bits >> i & 1) * extended[i].stride);
      mesh.cells.push_back(corner);
    }
  }
  return mesh;
}

Mesh cloud_mesh(const std::vector<const std::vector<double>*>& coordinates) {
  Mesh mesh;
  const std::size_t points = coordinates.at(0)->size();
  mesh.points.assign(3 * points, 0.0);
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    for (std::size_t p = 0; p < points; ++p) mesh.points[3 * p + i] = (*coordinates[i])[p];
  mesh.cells.resize(points);
  std::iota(mesh.cells.begin(), mesh.cells.end(), 0);
  return mesh;
}

}  // namespace pinn
