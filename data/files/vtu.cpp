/// VTU is VTK's XML file of an unstructured mesh, with arrays as base64 behind their size in bytes.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "data/files/formats.h"

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

struct Cells {
  std::vector<std::int64_t> connectivity, offsets;
  std::vector<std::uint8_t> types;
};

void add_cell(Cells& cells, const std::vector<std::int64_t>& corners, std::uint8_t type) {
  cells.connectivity.insert(cells.connectivity.end(), corners.begin(), corners.end());
  cells.offsets.push_back(std::int64_t(cells.connectivity.size()));
  cells.types.push_back(type);
}

/// A grid's lines, quadrilaterals or hexahedra, by how many of its axes have more than one
/// position.
Cells grid_cells(const Fields& fields) {
  std::vector<std::int64_t> count, step;
  for (const std::size_t axis :
       mesh_axes(fields))  // x, y, z in this order: cells of positive volume
    if (fields.axes[axis].values.size() > 1) {
      count.push_back(std::int64_t(fields.axes[axis].values.size() - 1));
      step.push_back(std::int64_t(stride(fields, axis)));
    }
  const std::array<std::uint8_t, 4> type = {1, 3, 9, 12};  // VTK_VERTEX, _LINE, _QUAD, _HEXAHEDRON
  const std::array<int, 4> gray = {0, 1, 3, 2};            // corners of a quadrilateral go round
  std::int64_t total = 1;
  for (const std::int64_t n : count) total *= n;

  Cells cells;
  for (std::int64_t cell = 0; cell < total; ++cell) {
    std::int64_t first = 0, rest = cell;
    for (std::size_t i = 0; i < count.size(); rest /= count[i], ++i)
      first += rest % count[i] * step[i];
    std::vector<std::int64_t> corners;
    for (int k = 0; k < 1 << count.size(); ++k) {
      const int bits = (k & 4) | gray[std::size_t(k & 3)];
      std::int64_t corner = first;
      for (std::size_t i = 0; i < count.size(); ++i) corner += (bits >> i & 1) * step[i];
      corners.push_back(corner);
    }
    add_cell(cells, corners, type[count.size()]);
  }
  return cells;
}

Cells vertices(std::size_t points) {
  Cells cells;
  for (std::size_t i = 0; i < points; ++i) add_cell(cells, {std::int64_t(i)}, 1);
  return cells;
}

}  // namespace

std::string vtu_text(const Fields& fields) {
  const std::vector<double> points = mesh_points(fields);
  const Cells cells = fields.grid ? grid_cells(fields) : vertices(points.size() / 3);
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n      "
      "<PointData>\n",
      points.size() / 3, cells.types.size());
  for (const FieldValues& field : fields.fields)
    text += data_array("Float64", field.name, field.values);
  text += "      </PointData>\n      <Points>\n" + data_array("Float64", "Points", points, true) +
          "      </Points>\n      <Cells>\n" +
          data_array("Int64", "connectivity", cells.connectivity) +
          data_array("Int64", "offsets", cells.offsets) + data_array("UInt8", "types", cells.types);
  return text + "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n";
}

}  // namespace pinn
