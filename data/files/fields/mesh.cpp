#include "data/files/fields/formats.h"

#include <algorithm>
#include <array>
#include <cmath>
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

std::vector<Mesh> simplex_meshes(const Fields& fields) {
  std::vector<Mesh> all;
  std::size_t point = 0, cell = 0;
  const std::vector<std::size_t> axes = mesh_axes(fields);
  for (const Cells::Moment& moment : fields.cells->moments) {
    Mesh& mesh = all.emplace_back();
    mesh.corners = fields.cells->corners;
    mesh.simplices = true;
    mesh.points.assign(3 * moment.points, 0.0);
    for (std::size_t k = 0; k < axes.size(); ++k)
      for (std::size_t p = 0; p < moment.points; ++p)
        mesh.points[3 * p + k] = fields.axes[axes[k]].values[point + p];
    const auto first = fields.cells->points.begin() + std::ptrdiff_t(cell * mesh.corners);
    mesh.cells.assign(first, first + std::ptrdiff_t(moment.cells * mesh.corners));
    point += moment.points;
    cell += moment.cells;
  }
  return all;
}

std::vector<bool> missing(const Fields& fields) {
  std::vector<bool> all;
  if (fields.fields.empty()) return all;
  bool any = false;
  for (std::size_t p = 0; p < fields.fields[0].values.size(); ++p) {
    all.push_back(std::ranges::all_of(
        fields.fields, [&](const FieldValues& field) { return std::isnan(field.values[p]); }));
    any = any || all.back();
  }
  if (!any) all.clear();
  return all;
}

Mesh without_missing(Mesh mesh, const std::vector<bool>& missing) {
  if (missing.empty()) return mesh;
  const std::size_t points = mesh.point_count(), moments = missing.size() / points;
  const auto is_whole = [&](const std::int64_t* corners, std::size_t moment) {
    return std::none_of(corners, corners + mesh.corners, [&](std::int64_t corner) {
      return missing[moment * points + std::size_t(corner)];
    });
  };
  std::vector<std::int64_t> kept;
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const std::int64_t* corners = mesh.cells.data() + cell * mesh.corners;
    bool shown = false;
    for (std::size_t m = 0; m < moments && !shown; ++m) shown = is_whole(corners, m);
    if (shown) kept.insert(kept.end(), corners, corners + mesh.corners);
  }
  mesh.cells = std::move(kept);
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
