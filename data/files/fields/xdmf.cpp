/// XDMF is a page of XML that tells programs how to read arrays of an HDF5 file. What it looks like
/// here was found by trying its readers. Every page is a collection of moments in time, also of
/// one: pyvista reads no page without a time, meshio no time outside of a collection. A moment is
/// an array of its own, for HyperSlab items show a mesh without field, and no warning; it has one
/// axis, as long as there are points. The mesh is spelled out, for meshio knows no rectilinear
/// ones.
#include <fmt/format.h>

#include <algorithm>

#include "data/files/fields/formats.h"

namespace pinn {
namespace {

bool is_timed(const Fields& fields) {
  return std::any_of(fields.axes.begin(), fields.axes.end(), [](const Axis& a) { return a.time; });
}

/// True if time is that of moments, and no axis of the mesh.
bool has_moments(const Fields& fields) {
  return fields.grid && is_timed(fields) && fields.axes.size() > 2;
}

std::string item(const std::string& dimensions, const std::string& h5_name, const std::string& path,
                 const std::string& type = "Float") {
  return fmt::format(
      "          <DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"8\" "
      "Format=\"HDF\">{}:{}</DataItem>\n",
      dimensions, type, escaped(h5_name), escaped(path));
}

std::string attribute(const std::string& name, const std::string& item) {
  return fmt::format(
      "        <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n{}        "
      "</Attribute>\n",
      escaped(name), item);
}

/// Every field, its array found under `folder`; for a cloud its coordinates, too.
std::string attributes(const Fields& fields, const std::string& points, const std::string& h5_name,
                       const std::string& folder) {
  std::string text;
  if (!fields.grid)
    for (const Axis& axis : fields.axes)
      text += attribute(
          axis.name,
          item(points, h5_name, (fields.cells ? folder : "") + "/" + array_name(axis.name)));
  for (const FieldValues& field : fields.fields)
    text += attribute(field.name, item(points, h5_name, folder + "/" + array_name(field.name)));
  return text;
}

std::string mesh_text(const Mesh& mesh, const std::string& h5_name, const std::string& folder) {
  const char* type = mesh.corners == 1   ? "Polyvertex\" NodesPerElement=\"1"
                     : mesh.corners == 2 ? "Polyline\" NodesPerElement=\"2"
                     : mesh.corners == 3 ? "Triangle"
                     : mesh.simplices    ? "Tetrahedron"
                     : mesh.corners == 4 ? "Quadrilateral"
                                         : "Hexahedron";
  return fmt::format("        <Topology TopologyType=\"{}\" NumberOfElements=\"{}\">\n", type,
                     mesh.cell_count()) +
         item(fmt::format("{} {}", mesh.cell_count(), mesh.corners), h5_name, folder + "/cells",
              "Int") +
         "        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n" +
         item(fmt::format("{} 3", mesh.point_count()), h5_name, folder + "/points") +
         "        </Geometry>\n";
}

}  // namespace

std::string xdmf_folder(std::size_t moment) { return fmt::format("/xdmf/{:05}", moment); }

std::string xdmf_mesh_folder(const Fields& fields, std::size_t moment) {
  return fields.cells ? xdmf_folder(moment) : "/xdmf";
}

std::vector<double> xdmf_times(const Fields& fields) {
  std::vector<double> times;
  for (std::size_t i = 0; fields.cells && i < fields.cells->moments.size(); ++i)
    times.push_back(fields.cells->moments[i].time);
  if (fields.cells) return times;
  return has_moments(fields) ? fields.axes[file_order(fields)[0]].values : std::vector<double>();
}

namespace {

/// Missing values, in the order in which the file has them.
std::vector<bool> missing_in_file(const Fields& fields) {
  std::vector<bool> all = missing(fields);
  if (all.empty() || !fields.grid) return all;
  std::vector<std::size_t> extents;
  for (const Axis& axis : fields.axes) extents.push_back(axis.values.size());
  return reordered(all, extents, file_order(fields));
}

}  // namespace

std::vector<Mesh> xdmf_meshes(const Fields& fields) {
  if (fields.cells) return simplex_meshes(fields);
  std::vector<std::size_t> order = fields.grid ? file_order(fields) : mesh_axes(fields);
  if (has_moments(fields)) order.erase(order.begin());  // time
  if (fields.grid) std::reverse(order.begin(), order.end());
  leave_out_slices(order, fields);
  if (order.size() > 3) return {};
  std::vector<MeshAxis> axes;
  std::vector<const std::vector<double>*> coordinates;
  std::size_t stride = 1;
  for (const std::size_t i : order) {
    axes.push_back({&fields.axes[i].values, stride});
    coordinates.push_back(&fields.axes[i].values);
    stride *= fields.axes[i].values.size();
  }
  return {without_missing(fields.grid ? grid_mesh(axes) : cloud_mesh(coordinates),
                          missing_in_file(fields))};
}

std::string xdmf_text(const Fields& fields, const std::vector<Mesh>& meshes,
                      const std::string& h5_name) {
  std::vector<double> times = xdmf_times(fields);
  if (times.empty()) times = {0};
  std::string text =
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf "
      "Version=\"3.0\">\n  <Domain>\n"
      "    <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Mesh& mesh = meshes[std::min(i, meshes.size() - 1)];
    text +=
        fmt::format("      <Grid Name=\"{}\" GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n",
                    i, times[i]) +
        mesh_text(mesh, h5_name, xdmf_mesh_folder(fields, i)) +
        attributes(fields, std::to_string(mesh.point_count()), h5_name, xdmf_folder(i)) +
        "      </Grid>\n";
  }
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

}  // namespace pinn
