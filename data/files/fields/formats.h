#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/files/fields.h"

namespace pinn {

/// Points and the cells between them, all of one kind.
struct Mesh {
  std::vector<double> points;       ///< x y z of one after the other; axes that are missing are 0
  std::size_t corners = 1;          ///< of a cell: 1 vertex, 2 line, 4 quadrilateral, 8 hexahedron
  std::vector<std::int64_t> cells;  ///< points of the corners, in VTK's order, cell by cell
  bool simplices = false;           ///< 3 triangle, 4 tetrahedron

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

/// The meshes of simplices, one per moment.
std::vector<Mesh> simplex_meshes(const Fields& fields);

/// True where a value is missing: NaN in all fields.
std::vector<bool> missing(const Fields& fields);

/// The mesh without the cells that miss a corner at every moment. missing [moments, points]; none
/// where it is empty.
Mesh without_missing(Mesh mesh, const std::vector<bool>& missing);

/// The values with their axes in another order: axis i of the result is axis order[i] of `values`.
/// Axes of one position may be missing there.
template <class T>
std::vector<T> reordered(const std::vector<T>& values, const std::vector<std::size_t>& extents,
                         const std::vector<std::size_t>& order) {
  const std::size_t rank = order.size();
  std::vector<std::size_t> strides(extents.size(), 1), index(rank, 0);
  for (std::size_t i = extents.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * extents[i + 1];

  std::vector<T> result(values.size());
  for (std::size_t n = 0; n < result.size(); ++n) {
    std::size_t from = 0;
    for (std::size_t i = 0; i < rank; ++i) from += index[i] * strides[order[i]];
    result[n] = values[from];
    for (std::size_t i = rank; i-- > 0 && ++index[i] == extents[order[i]];) index[i] = 0;
  }
  return result;
}

// The formats behind write_fields, each from fields to the bytes of a file.

/// The axes as output files have them: time first, then the others from last to first, so that x
/// runs fastest (the order of the CF conventions: t, z, y, x). Indices into fields.axes.
std::vector<std::size_t> file_order(const Fields& fields);

/// Reduces axes in some order to those that a mesh of three can have: where there are more, the
/// last of those with one position are left out.
void leave_out_slices(std::vector<std::size_t>& axes, const Fields& fields);

/// The axes along which a mesh extends: all but time, then time if there is room (three at most).
std::vector<std::size_t> mesh_axes(const Fields& fields);

/// The array of an axis or field called `name`: without "/", and apart from what else the file
/// holds.
std::string array_name(const std::string& name);

/// How far apart in a field's values neighbors along an axis lie.
std::size_t stride(const Fields& fields, std::size_t axis);

/// How many points there are.
std::size_t points_of(const Fields& fields);

/// Text made safe for XML.
std::string escaped(const std::string& text);

/// Meshes that XDMF shows: moments one after the other on one mesh, whose points run as the values
/// in the file do. A field of one space coordinate and time is one moment, the plane of both. None
/// where there are more axes than XDMF has; one for all moments of a grid, one for each of
/// simplices.
std::vector<Mesh> xdmf_meshes(const Fields& fields);
/// The times of the moments; empty when there is one only, without a time.
std::vector<double> xdmf_times(const Fields& fields);
/// Folder of such a moment in the HDF5 file, and that of the mesh of one.
std::string xdmf_folder(std::size_t moment);
std::string xdmf_mesh_folder(const Fields& fields, std::size_t moment);

/// Refers to the arrays of the HDF5 file `h5_name`.
std::string xdmf_text(const Fields& fields, const std::vector<Mesh>& meshes,
                      const std::string& h5_name);

/// One in each file of a format, and all of them, in the order in which they are told.
namespace formats {
extern const FieldFormat h5, xdmf, vtu, csv;
inline const FieldFormat* const all[] = {&h5, &xdmf, &vtu, &csv};
}  // namespace formats

}  // namespace pinn
