#include "data/files/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "autograd/core/error.h"
#include "data/files/fields/formats.h"

namespace pinn {
namespace {

void require_shapes(const Fields& fields) {
  if (fields.axes.empty())
    throw ShapeError({"fields without an axis", "write_fields", "give at least one"});
  const std::size_t points = points_of(fields);
  const auto require = [&](const std::string& name, std::size_t size) {
    if (size != points)
      throw ShapeError({fmt::format("'{}' has {} values on {} points", name, size, points),
                        "write_fields", "give every field one value per point"});
  };
  for (const FieldValues& field : fields.fields) require(field.name, field.values.size());
  if (!fields.labels.of_points.empty()) require(fields.labels.name, fields.labels.of_points.size());
  if (!fields.grid)
    for (const Axis& axis : fields.axes) require(axis.name, axis.values.size());
}

/// Slices apart, of a grid.
std::size_t axes_of_mesh(const Fields& fields) {
  std::vector<std::size_t> axes = file_order(fields);
  leave_out_slices(axes, fields);
  return fields.cells ? 1 : axes.size();  // a mesh has those that it has
}

Written write_h5(const std::filesystem::path& path, const Fields& fields,
                 const Provenance& provenance, FileSystem& files) {
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

std::vector<std::size_t> file_order(const Fields& fields) {
  std::vector<std::size_t> order;
  for (std::size_t i = fields.axes.size(); i-- > 0;)
    if (!fields.axes[i].time) order.push_back(i);
  for (std::size_t i = fields.axes.size(); i-- > 0;)
    if (fields.axes[i].time) order.insert(order.begin(), i);
  return order;
}

void leave_out_slices(std::vector<std::size_t>& axes, const Fields& fields) {
  const auto is_slice = [&](std::size_t i) {
    return fields.grid && fields.axes[i].values.size() == 1;
  };
  while (axes.size() > 3) {
    const auto slice = std::find_if(axes.rbegin(), axes.rend(), is_slice);
    if (slice == axes.rend()) return;
    axes.erase(std::next(slice).base());
  }
}

std::vector<std::size_t> mesh_axes(const Fields& fields) {
  std::vector<std::size_t> axes = file_order(fields);
  std::reverse(axes.begin(), axes.end());  // x, y, z, ..., t
  if (fields.cells) std::erase_if(axes, [&](std::size_t i) { return fields.axes[i].time; });
  leave_out_slices(axes, fields);
  if (axes.size() > 3) axes.resize(3);
  return axes;
}

std::string array_name(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += c == '/' ? "_over_" : std::string(1, c);
  const bool taken = safe == "meta" || safe == "xdmf" || safe == "point" || safe == ".";
  return taken ? safe + "_" : safe;
}

std::size_t stride(const Fields& fields, std::size_t axis) {
  std::size_t points = 1;
  for (std::size_t i = axis + 1; fields.grid && i < fields.axes.size(); ++i)
    points *= fields.axes[i].values.size();
  return points;
}

std::size_t points_of(const Fields& fields) {
  if (!fields.grid) return fields.axes.front().values.size();
  std::size_t count = 1;
  for (const Axis& axis : fields.axes) count *= axis.values.size();
  return count;
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

Written write_fields(const std::string& path, const Fields& fields, const Provenance& provenance,
                     FileSystem& files) {
  require_shapes(fields);
  const std::string format = std::filesystem::path(path).extension().string();
  if (format == ".h5" || format == ".xdmf") return write_h5(path, fields, provenance, files);
  if (format != ".vtu" && format != ".csv")
    throw ConfigError({"no format is known for the ending '" + format + "'", path,
                       "end the name in .h5, .xdmf, .vtu or .csv"});
  if (const std::size_t axes = axes_of_mesh(fields); format == ".vtu" && axes > 3)
    throw ConfigError({fmt::format("a .vtu file has three axes, but these fields have {}", axes),
                       path, "fix an axis, as in --grid t=0.5, or write .h5, .xdmf or .csv"});
  if (format == ".vtu" && fields.cells && fields.cells->moments.size() > 1)
    throw ConfigError({fmt::format("a .vtu file shows one moment, but this mesh has {}",
                                   fields.cells->moments.size()),
                       path, "fix the time, as in --grid t=0.5, or write .xdmf"});
  write_atomically(path, {format == ".vtu" ? vtu_text(fields) : csv_text(fields)}, files);
  return {{path}, ""};
}

Written write_fields(const std::string& path, const Fields& fields, const Provenance& provenance) {
  FileSystem files;
  return write_fields(path, fields, provenance, files);
}

namespace {

/// A name as a cell, as RFC 4180 wants it: in quotes where it holds a comma or a quote; and where
/// it would be read as something else, a comment or a name without its blanks. On one line: a
/// formula means the same.
std::string cell(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  const bool plain = name.find_first_of(",\"") == name.npos && !name.empty() &&
                     name.front() != '#' && name.find_first_of(" \t") != 0 &&
                     name.find_last_of(" \t") != name.size() - 1;
  if (plain) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_text(const Fields& fields) {
  std::string text;
  for (const Axis& axis : fields.axes) text += (text.empty() ? "" : ",") + cell(axis.name);
  const PointLabels& labels = fields.labels;
  if (!labels.of_points.empty()) text += "," + cell(labels.name);
  for (const FieldValues& field : fields.fields) text += "," + cell(field.name);
  text += '\n';
  const std::size_t points = points_of(fields);
  const std::vector<bool> is_missing = missing(fields);
  for (std::size_t p = 0; p < points; ++p) {
    const bool empty = !is_missing.empty() && is_missing[p];
    if (empty && fields.grid) continue;
    for (std::size_t i = 0; i < fields.axes.size(); ++i) {
      const std::vector<double>& values = fields.axes[i].values;
      text += fmt::format("{}{}", i == 0 ? "" : ",", values[p / stride(fields, i) % values.size()]);
    }
    if (!labels.of_points.empty()) text += "," + cell(labels.texts[labels.of_points[p]]);
    for (const FieldValues& field : fields.fields)
      text += empty ? "," : fmt::format(",{}", field.values[p]);
    text += '\n';
  }
  return text;
}

}  // namespace pinn
