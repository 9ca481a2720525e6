/// XDMF is a page of XML that tells ParaView how to read arrays of an HDF5 file. Two rules, found
/// by trying its readers: a moment in time is an array of its own (HyperSlab items show a mesh
/// without field, and no warning), and the mesh is one of 2DRectMesh, 3DRectMesh and Polyvertex,
/// which needs its cells listed (else there are points but nothing to draw).
#include <fmt/format.h>

#include <algorithm>

#include "data/files/formats.h"

namespace pinn {
namespace {

/// "101 201", for arrays of these axes.
std::string extents(const Fields& fields, const std::vector<std::size_t>& axes) {
  std::string text;
  for (const std::size_t i : axes)
    text += fmt::format("{}{}", text.empty() ? "" : " ", fields.axes[i].values.size());
  return text;
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

/// Every field, its array found under `folder`.
std::string attributes(const Fields& fields, const std::string& dimensions,
                       const std::string& h5_name, const std::string& folder) {
  std::string text;
  for (const FieldValues& field : fields.fields)
    text += attribute(field.name, item(dimensions, h5_name, folder + array_name(field.name)));
  return text;
}

/// The rectilinear mesh over two or three axes, slowest first.
std::string mesh(const Fields& fields, const std::vector<std::size_t>& axes,
                 const std::string& h5_name) {
  std::string text =
      fmt::format("        <Topology TopologyType=\"{}DRectMesh\" Dimensions=\"{}\"/>\n",
                  axes.size(), extents(fields, axes));
  text +=
      fmt::format("        <Geometry GeometryType=\"{}\">\n", axes.size() == 2 ? "VXVY" : "VXVYVZ");
  for (std::size_t i = axes.size(); i-- > 0;)
    text += item(extents(fields, {axes[i]}), h5_name, "/" + array_name(fields.axes[axes[i]].name));
  return text + "        </Geometry>\n";
}

std::string still(const Fields& fields, const std::string& h5_name) {
  const std::vector<std::size_t> axes = file_order(fields);
  return "      <Grid Name=\"fields\" GridType=\"Uniform\">\n" + mesh(fields, axes, h5_name) +
         attributes(fields, extents(fields, axes), h5_name, "/") + "      </Grid>\n";
}

std::string moments(const Fields& fields, const std::string& h5_name) {
  std::vector<std::size_t> axes = file_order(fields);
  const Axis& time = fields.axes[axes[0]];
  axes.erase(axes.begin());
  std::string text =
      "    <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (std::size_t i = 0; i < time.values.size(); ++i)
    text +=
        fmt::format("      <Grid Name=\"{}\" GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n",
                    i, time.values[i]) +
        mesh(fields, axes, h5_name) +
        attributes(fields, extents(fields, axes), h5_name, fmt::format("/xdmf/{:05}/", i)) +
        "      </Grid>\n";
  return text + "    </Grid>\n";
}

std::string cloud(const Fields& fields, const std::string& h5_name) {
  const std::string count = extents(fields, {0});
  std::string text = fmt::format(
      "      <Grid Name=\"fields\" GridType=\"Uniform\">\n"
      "        <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\" "
      "NodesPerElement=\"1\">\n",
      count);
  text += item(count, h5_name, "/xdmf/cells", "Int") +
          "        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n";
  text += item(count + " 3", h5_name, "/xdmf/points") + "        </Geometry>\n";
  for (const Axis& axis : fields.axes)
    text += attribute(axis.name, item(count, h5_name, "/" + array_name(axis.name)));
  return text + attributes(fields, count, h5_name, "/") + "      </Grid>\n";
}

}  // namespace

std::string xdmf_text(const Fields& fields, const std::string& h5_name) {
  const std::size_t axes = fields.axes.size();
  const bool timed =
      std::any_of(fields.axes.begin(), fields.axes.end(), [](const Axis& a) { return a.time; });
  if (fields.grid && axes - timed > 3) return "";
  std::string body;
  if (!fields.grid || axes == 1)
    body = cloud(fields, h5_name);
  else if (timed && axes > 2)
    body = moments(fields, h5_name);
  else
    body = still(fields, h5_name);  // x and t make a plane of their own
  return "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf "
         "Version=\"3.0\">\n  <Domain>\n" +
         body + "  </Domain>\n</Xdmf>\n";
}

}  // namespace pinn
