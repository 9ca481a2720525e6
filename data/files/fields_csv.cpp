#include <fmt/format.h>

#include "data/files/formats.h"

namespace pinn {
namespace {

/// A name as a cell: in quotes where it holds a comma or a quote.
std::string cell(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_text(const Fields& fields) {
  std::string text;
  std::size_t points = 1;
  std::vector<std::size_t> stride(fields.axes.size(), 1);
  for (std::size_t i = fields.axes.size(); fields.grid && i-- > 0;) {
    stride[i] = points;
    points *= fields.axes[i].values.size();
  }
  if (!fields.grid) points = fields.axes[0].values.size();

  for (const Axis& axis : fields.axes) text += (text.empty() ? "" : ",") + cell(axis.name);
  for (const FieldValues& field : fields.fields) text += "," + cell(field.name);
  text += '\n';
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t i = 0; i < fields.axes.size(); ++i) {
      const std::vector<double>& values = fields.axes[i].values;
      text += fmt::format("{}{}", i == 0 ? "" : ",", values[p / stride[i] % values.size()]);
    }
    for (const FieldValues& field : fields.fields) text += fmt::format(",{}", field.values[p]);
    text += '\n';
  }
  return text;
}

}  // namespace pinn
