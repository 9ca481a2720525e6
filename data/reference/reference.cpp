#include "data/reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"

namespace pinn {
namespace {

const std::vector<std::string> about_keys = {"equation", "method", "note", "command", "written_by"};

[[noreturn]] void refuse(const std::string& what, const std::string& path) {
  throw FileError({what, path, "make reference files with pinn-reference NAME -o FILE"});
}

std::vector<std::size_t> extents(const Reference& r) {
  std::vector<std::size_t> shape;
  for (const auto& axis : r.axes) shape.push_back(axis.size());
  return shape;
}

bool increases(const std::vector<double>& axis) {
  return !axis.empty() && std::isfinite(axis.front()) && std::isfinite(axis.back()) &&
         std::adjacent_find(axis.begin(), axis.end(),
                            [](double a, double b) { return !(a < b); }) == axis.end();
}

void require_finite(const std::vector<double>& values, const std::string& name, const Reference& r,
                    const std::string& path) {
  const auto bad = std::find_if(values.begin(), values.end(),
                                [](double value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  std::string place;
  std::size_t rest = std::size_t(bad - values.begin());
  for (std::size_t axis = r.axes.size(); axis-- > 0; rest /= r.axes[axis].size())
    place = fmt::format("{} = {:.6g}{}{}", r.coordinates[axis],
                        r.axes[axis][rest % r.axes[axis].size()], place.empty() ? "" : ", ", place);
  refuse(fmt::format("the field '{}' is {} at {}", name, *bad, place), path);
}

}  // namespace

std::size_t Reference::count() const {
  std::size_t n = 1;
  for (const auto& axis : axes) n *= axis.size();
  return n;
}

std::vector<double> Reference::points(const std::vector<std::string>& names) const {
  if (!std::is_permutation(names.begin(), names.end(), coordinates.begin(), coordinates.end()))
    throw FileError({fmt::format("the reference is a function of ({}), the problem of ({})",
                                 fmt::join(coordinates, ", "), fmt::join(names, ", ")),
                     "reference", "compare with a reference of the problem's own coordinates"});
  std::vector<double> rows(count() * names.size());
  std::size_t stride = 1;  // points from one value on an axis to the next
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    const std::size_t size = axes[axis].size();
    const std::size_t column =
        std::find(names.begin(), names.end(), coordinates[axis]) - names.begin();
    for (std::size_t i = 0; i < count(); ++i)
      rows[i * names.size() + column] = axes[axis][i / stride % size];
    stride *= size;
  }
  return rows;
}

double relative_l2(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += (a.at(i) - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

Reference load_reference(const std::string& path) {
  const H5Reader file(path);
  if (!file.has_attribute("/", "order") || !file.has_attribute("/", "error_bound"))
    refuse("not a reference: it has no attribute 'order' or none 'error_bound'", path);

  Reference r;
  r.bound = file.number_attribute("/", "error_bound");
  if (!std::isfinite(r.bound) || r.bound < 0)
    refuse(fmt::format("the attribute 'error_bound' is {}", r.bound), path);
  for (const std::string& key : about_keys)
    if (file.has_attribute("/", key)) r.about[key] = file.text_attribute("/", key);

  std::istringstream order(file.text_attribute("/", "order"));
  for (std::string name; order >> name;) r.coordinates.push_back(name);
  for (const std::string& name : r.coordinates) {
    r.axes.push_back(file.read<double>("/" + name).values);
    if (!increases(r.axes.back()))
      refuse(fmt::format("the axis '{}' does not increase", name), path);
  }
  for (const std::string& name : file.names("/")) {
    if (std::find(r.coordinates.begin(), r.coordinates.end(), name) != r.coordinates.end())
      continue;
    auto field = file.read<double>("/" + name);
    if (field.shape != extents(r))
      refuse(fmt::format("the field '{}' is [{}], its axes {} are [{}]", name,
                         fmt::join(field.shape, ", "), fmt::join(r.coordinates, ", "),
                         fmt::join(extents(r), ", ")),
             path);
    require_finite(field.values, name, r, path);
    r.fields[name] = std::move(field.values);
  }
  if (r.axes.empty() || r.fields.empty()) refuse("the reference has no axis or no field", path);
  return r;
}

void save_reference(const Reference& r, const std::string& path) {
  H5Writer file;
  file.text_attribute("/", "order", fmt::format("{}", fmt::join(r.coordinates, " ")));
  file.number_attribute("/", "error_bound", r.bound);
  for (const auto& [key, text] : r.about) file.text_attribute("/", key, text);
  for (std::size_t axis = 0; axis < r.axes.size(); ++axis) {
    file.array("/" + r.coordinates[axis], r.axes[axis]);
    file.scale("/" + r.coordinates[axis], r.coordinates[axis]);
  }
  for (const auto& [name, values] : r.fields) {
    file.array("/" + name, extents(r), values.data(), Packing::compressed);
    for (std::size_t axis = 0; axis < r.axes.size(); ++axis)
      file.attach_scale("/" + name, axis, "/" + r.coordinates[axis], r.coordinates[axis]);
  }
  write_atomically(path, {file.image()});
}

}  // namespace pinn
