/// VTU is VTK's XML file of an unstructured mesh, with arrays as base64 behind their size in bytes.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "autograd/core/error.h"
#include "data/files/fields/formats.h"

namespace pinn {
namespace {

static_assert(std::endian::native == std::endian::little, "the file says LittleEndian");

std::string base64(const std::string& bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = i; k < i + 3; ++k)
      group = group << 8 | (k < bytes.size() ? std::uint8_t(bytes[k]) : 0);
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[group >> shift & 63];
  }
  for (std::size_t missing = (3 - bytes.size() % 3) % 3; missing > 0; --missing)
    text[text.size() - missing] = '=';
  return text;
}

/// One array of numbers, one per point or cell, or three.
template <class T>
std::string data_array(const std::string& type, const std::string& name,
                       const std::vector<T>& values, bool vectors = false) {
  const std::uint64_t size = sizeof(T) * values.size();
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  return fmt::format(
      "        <DataArray type=\"{}\" Name=\"{}\" {}"
      "format=\"binary\">{}</DataArray>\n",
      type, escaped(name), vectors ? "NumberOfComponents=\"3\" " : "", base64(bytes));
}

/// The mesh with its points in the order of the fields' values.
Mesh mesh_of(const Fields& fields) {
  if (fields.cells) return without_missing(simplex_meshes(fields).at(0), missing(fields));
  std::vector<MeshAxis> axes;
  std::vector<const std::vector<double>*> coordinates;
  for (const std::size_t i : mesh_axes(fields)) {
    axes.push_back({&fields.axes[i].values, stride(fields, i)});
    coordinates.push_back(&fields.axes[i].values);
  }
  return without_missing(fields.grid ? grid_mesh(axes) : cloud_mesh(coordinates), missing(fields));
}

/// End of each cell's corners.
std::vector<std::int64_t> offsets(const Mesh& mesh) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 1; i <= mesh.cell_count(); ++i)
    all.push_back(std::int64_t(i * mesh.corners));
  return all;
}

/// VTK_VERTEX, _LINE, _TRIANGLE, _QUAD, _TETRA or _HEXAHEDRON for every cell.
std::vector<std::uint8_t> types(const Mesh& mesh) {
  const std::uint8_t type = mesh.corners == 1   ? 1
                            : mesh.corners == 2 ? 3
                            : mesh.corners == 3 ? 5
                            : mesh.corners == 4 ? (mesh.simplices ? 10 : 9)
                                                : 12;
  return std::vector<std::uint8_t>(mesh.cell_count(), type);
}

/// The texts of labels, each the name of its number: texts themselves few readers know.
std::string texts_of(const PointLabels& labels) {
  std::string text = "    <FieldData>\n";
  for (std::size_t k = 0; k < labels.texts.size(); ++k)
    text += fmt::format(
        "      <DataArray type=\"Int64\" Name=\"{}\" NumberOfTuples=\"1\" "
        "format=\"ascii\">{}</DataArray>\n",
        escaped(labels.texts[k]), k);
  return text + "    </FieldData>\n";
}

/// Axes that a mesh has: of a grid but for slices, of simplices those that it has.
std::size_t axes_of_mesh(const Fields& fields) {
  std::vector<std::size_t> axes = file_order(fields);
  leave_out_slices(axes, fields);
  return fields.cells ? 1 : axes.size();
}

std::string vtu_text(const Fields& fields) {
  const Mesh mesh = mesh_of(fields);
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "  <UnstructuredGrid>\n{}    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n      "
      "<PointData>\n",
      fields.labels.of_points.empty() ? "" : texts_of(fields.labels), mesh.point_count(),
      mesh.cell_count());
  if (const std::vector<std::size_t>& of_points = fields.labels.of_points; !of_points.empty())
    text += data_array("Int64", fields.labels.name,
                       std::vector<std::int64_t>(of_points.begin(), of_points.end()));
  for (const FieldValues& field : fields.fields)
    text += data_array("Float64", field.name, field.values);
  text += "      </PointData>\n      <Points>\n" +
          data_array("Float64", "Points", mesh.points, true) + "      </Points>\n      <Cells>\n" +
          data_array("Int64", "connectivity", mesh.cells) +
          data_array("Int64", "offsets", offsets(mesh)) + data_array("UInt8", "types", types(mesh));
  return text + "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n";
}

Written write_vtu(const std::string& path, const Fields& fields, const Provenance&,
                  FileSystem& files) {
  if (const std::size_t axes = axes_of_mesh(fields); axes > 3)
    throw ConfigError({fmt::format("a .vtu file has three axes, but these fields have {}", axes),
                       path, "fix an axis, as in --grid t=0.5, or write .h5, .xdmf or .csv"});
  if (fields.cells && fields.cells->moments.size() > 1)
    throw ConfigError({fmt::format("a .vtu file shows one moment, but this mesh has {}",
                                   fields.cells->moments.size()),
                       path, "fix the time, as in --grid t=0.5, or write .xdmf"});
  write_atomically(path, {vtu_text(fields)}, files);
  return {{path}, ""};
}

}  // namespace

const FieldFormat formats::vtu = {".vtu", true, false, write_vtu};

}  // namespace pinn
