#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numeric>

#include "data/files/fields/formats.h"
#include "data/files/h5_writer.h"

namespace pinn {
namespace {

void write_meta(H5Writer& file, const Provenance& provenance) {
  file.text_attribute("/", "Conventions", "CF-1.8");
  file.text_attribute("/", "title", provenance.title);
  file.text_attribute("/", "source", provenance.source);
  file.group("/meta");
  for (const auto& [name, text] : provenance.texts) file.text("/meta/" + name, text);
}

void describe(H5Writer& file, const std::string& path, const std::string& name,
              const std::string& unit) {
  file.text_attribute(path, "long_name", name);
  file.text_attribute(path, "units", unit.empty() ? "1" : unit);
}

std::string long_name(const FieldValues& field) {
  return field.description.empty() ? field.name : field.description;
}

constexpr std::size_t most_axes = 32;  ///< of an array in HDF5

/// The axes of arrays, in the order of the file. Of more than an array may have those of a single
/// position are left out: they are in the file, and no axis of the fields.
std::vector<std::size_t> array_axes(const Fields& fields) {
  std::vector<std::size_t> order = file_order(fields);
  if (order.size() > most_axes)
    std::erase_if(order, [&](std::size_t i) { return fields.axes[i].values.size() == 1; });
  return order;
}

/// Axes as dimension scales and fields over them; what XDMF needs besides lies in /xdmf.
void write_grid(H5Writer& file, const Fields& fields) {
  const std::vector<std::size_t> order = array_axes(fields);
  std::vector<std::size_t> extents, shape;
  for (const Axis& axis : fields.axes) {
    const std::string path = "/" + array_name(axis.name);
    file.array(path, axis.values);
    file.scale(path, axis.name);
    describe(file, path, axis.name, axis.unit);
    extents.push_back(axis.values.size());
  }
  for (const std::size_t i : order) shape.push_back(extents[i]);

  for (const FieldValues& field : fields.fields) {
    const std::string path = "/" + array_name(field.name);
    file.array(path, shape, reordered(field.values, extents, order).data(), Packing::compressed);
    describe(file, path, long_name(field), field.unit);
    file.number_attribute(path, "_FillValue", std::nan(""));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string& axis = fields.axes[order[i]].name;
      file.attach_scale(path, i, "/" + array_name(axis), axis);
    }
  }
}

/// 0, 1, 2, ...
std::vector<std::int64_t> numbers(std::size_t count) {
  std::vector<std::int64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// One array per coordinate and field over the axis "point".
void write_points(H5Writer& file, const Fields& fields) {
  file.array("/point", numbers(fields.axes.front().values.size()));
  file.scale("/point", "point");

  std::string coordinates;
  for (const Axis& axis : fields.axes) {
    const std::string path = "/" + array_name(axis.name);
    file.array(path, axis.values, Packing::compressed);
    describe(file, path, axis.name, axis.unit);
    file.attach_scale(path, 0, "/point", "point");
    coordinates += (coordinates.empty() ? "" : " ") + array_name(axis.name);
  }
  for (const FieldValues& field : fields.fields) {
    const std::string path = "/" + array_name(field.name);
    file.array(path, field.values, Packing::compressed);
    describe(file, path, long_name(field), field.unit);
    file.number_attribute(path, "_FillValue", std::nan(""));
    file.text_attribute(path, "coordinates", coordinates);
    file.attach_scale(path, 0, "/point", "point");
  }
}

/// A group per set of points, an array per coordinate; apart from the fields, so that what reads
/// these does not meet another axis.
void write_training_points(H5Writer& file, const Fields& fields) {
  const std::size_t width = fields.axes.size();
  for (const NamedPoints& points : fields.training_points) {
    const std::string group = "/training_points/" + array_name(points.name) + "/";
    const std::size_t count = points.x.size() / width;
    for (std::size_t i = 0; i < width; ++i) {
      std::vector<double> along;
      for (std::size_t n = 0; n < count; ++n) along.push_back(points.x[n * width + i]);
      const std::string path = group + array_name(fields.axes[i].name);
      file.array(path, along, Packing::compressed);
      describe(file, path, fields.axes[i].name, fields.axes[i].unit);
    }
    if (!points.weights.empty())
      file.array(group + "weights", {count, points.weights.size() / count}, points.weights.data(),
                 Packing::compressed);
  }
}

void write_values(H5Writer& file, const Fields& fields) {
  for (const NamedNumber& n : fields.values) {
    const std::string path = "/values/" + array_name(n.name);
    file.number(path, n.value);
    file.number_attribute(path, "uncertainty", n.uncertainty);
    if (!std::isnan(n.error)) file.number_attribute(path, "error", n.error);
  }
}

void write_mesh(H5Writer& file, const std::string& folder, const Mesh& mesh) {
  file.array(folder + "/points", {mesh.point_count(), 3}, mesh.points.data(), Packing::compressed);
  file.array(folder + "/cells", {mesh.cell_count(), mesh.corners}, mesh.cells.data(),
             Packing::compressed);
}

/// A mesh for every moment, and what is known at its points.
void write_simplices(H5Writer& file, const Fields& fields, const std::vector<Mesh>& meshes) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const std::size_t count = meshes[i].point_count();
    write_mesh(file, xdmf_folder(i), meshes[i]);
    const auto write = [&](const std::string& name, const std::vector<double>& values) {
      file.array(xdmf_folder(i) + "/" + array_name(name), {count}, values.data() + first,
                 Packing::compressed);
    };
    for (const Axis& axis : fields.axes) write(axis.name, axis.values);
    for (const FieldValues& field : fields.fields) write(field.name, field.values);
    first += count;
  }
}

/// Writes what the XDMF file refers to: the mesh, and the fields at each moment, without a copy.
void write_for_xdmf(H5Writer& file, const Fields& fields, const Mesh& mesh) {
  write_mesh(file, "/xdmf", mesh);
  const std::size_t moments = xdmf_times(fields).size();
  for (const FieldValues& field : fields.fields) {
    const std::string name = array_name(field.name);
    if (moments == 0) file.flat(xdmf_folder(0) + "/" + name, "/" + name);
    for (std::size_t i = 0; i < moments; ++i) file.flat(xdmf_folder(i) + "/" + name, "/" + name, i);
  }
}

/// With what XDMF refers to where there are meshes for it.
std::string h5_image(const Fields& fields, const Provenance& provenance,
                     const std::vector<Mesh>& for_xdmf) {
  H5Writer file;
  write_meta(file, provenance);
  fields.grid ? write_grid(file, fields) : write_points(file, fields);
  write_training_points(file, fields);
  write_values(file, fields);
  if (fields.cells)
    write_simplices(file, fields, for_xdmf);
  else if (!for_xdmf.empty())
    write_for_xdmf(file, fields, for_xdmf[0]);
  return file.image();
}

/// An HDF5 file, and beside it the XDMF file that shows it where ParaView can.
Written write_both(const std::string& path, const Fields& fields, const Provenance& provenance,
                   FileSystem& files) {
  const std::filesystem::path h5 = std::filesystem::path(path).replace_extension(".h5");
  const std::filesystem::path xdmf = std::filesystem::path(path).replace_extension(".xdmf");
  const std::vector<Mesh> meshes = xdmf_meshes(fields);
  write_atomically(h5.string(), {h5_image(fields, provenance, meshes)}, files);
  if (meshes.empty())
    return {
        {h5.string()},
        fmt::format("no XDMF file: ParaView shows three axes and time, these fields have {} axes",
                    fields.axes.size())};
  write_atomically(xdmf.string(), {xdmf_text(fields, meshes, h5.filename().string())}, files);
  return {{h5.string(), xdmf.string()}, ""};
}

}  // namespace

const FieldFormat formats::h5 = {".h5", false, true, write_both};
const FieldFormat formats::xdmf = {".xdmf", false, true, write_both};

}  // namespace pinn
