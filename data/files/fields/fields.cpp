#include "data/files/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

const FieldFormat* format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const FieldFormat* format : formats::all)
    if (ending == format->ending) return format;
  return nullptr;
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

bool takes_points(const std::string& path) {
  const FieldFormat* format = format_of(path);
  return format && format->takes_points;
}

std::string endings(bool of_points) {
  std::vector<std::string> some;
  for (const FieldFormat* format : formats::all)
    if (format->takes_points || !of_points) some.emplace_back(format->ending);
  const std::string last = some.back();
  some.pop_back();
  return fmt::format("{} or {}", fmt::join(some, ", "), last);
}

std::string holder_of(const std::string& path) {
  const FieldFormat* format = format_of(path);
  return format && format->in_h5 ? std::filesystem::path(path).replace_extension(".h5").string()
                                 : path;
}

Written write_fields(const std::string& path, const Fields& fields, const Provenance& provenance,
                     FileSystem& files) {
  require_shapes(fields);
  const FieldFormat* format = format_of(path);
  if (!format)
    throw ConfigError({fmt::format("no format is known for the ending '{}'",
                                   std::filesystem::path(path).extension().string()),
                       path, "end the name in " + endings()});
  return format->write(path, fields, provenance, files);
}

Written write_fields(const std::string& path, const Fields& fields, const Provenance& provenance) {
  FileSystem files;
  return write_fields(path, fields, provenance, files);
}

}  // namespace pinn
