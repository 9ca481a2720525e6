#include <fmt/format.h>

#include <algorithm>

#include "data/files/fields/formats.h"

namespace pinn {
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

Written write_csv(const std::string& path, const Fields& fields, const Provenance&,
                  FileSystem& files) {
  write_atomically(path, {csv_text(fields)}, files);
  return {{path}, ""};
}

}  // namespace

const FieldFormat formats::csv = {".csv", true, false, write_csv};

}  // namespace pinn
