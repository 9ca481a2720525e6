#include <fmt/format.h>

#include <algorithm>

#include "configs/draft.h"
#include "data/files/table.h"

namespace pinn::config {
namespace {

/// Local names with the columns they stand for.
using Columns = std::vector<std::pair<std::string, std::string>>;

/// The columns of the coordinates, in their order; empty with a report when one is missing.
Columns coordinate_columns(Draft& draft, const Node& columns) {
  Columns all;
  bool complete = true;
  for (const Coordinate& c : draft.run.problem.coordinates) {
    const Node* column = columns.find(c.name);
    complete = complete && column;
    if (column)
      all.emplace_back(c.name, column->text);
    else
      draft.findings.add(Mistake::column_missing, columns,
                         fmt::format("no column is given for the coordinate '{}'", c.name),
                         fmt::format("add {} = \"...\", the name of its column", c.name));
  }
  return complete ? all : Columns();
}

/// The other columns; nothing with a report when a name is taken.
bool local_columns(Draft& draft, const Node& columns, Columns& all) {
  const auto& coordinates = draft.run.problem.coordinates;
  std::vector<Declared> names = draft.names;
  for (const Entry& e : columns.entries) {
    if (std::any_of(coordinates.begin(), coordinates.end(),
                    [&](const Coordinate& c) { return c.name == e.key; }))
      continue;
    all.emplace_back(e.key, e.value.text);
    names.push_back({key_text(e), "column"});
  }
  return reading(draft, columns, Mistake::column_names, [&] { check_names(names); });
}

std::vector<double> rows(const Table& table, const Columns& columns) {
  std::vector<const std::vector<double>*> read;
  for (const auto& [local, column] : columns) read.push_back(&table.column(column));
  std::vector<double> values;
  for (std::size_t row = 0; row < table.rows; ++row)
    for (const std::vector<double>* column : read) values.push_back((*column)[row]);
  return values;
}

}  // namespace

bool read_data(Draft& draft, const Node& node, Requirement& requirement) {
  const Node* file = node.at("file");
  const Node* columns = node.at("columns");
  if (!file || !columns) return false;
  const Columns coordinates = coordinate_columns(draft, *columns);
  Columns locals;
  const bool named = local_columns(draft, *columns, locals) && !coordinates.empty();
  const std::string path = resolved_file(draft, *file);
  if (path.empty() || !named) return false;
  std::vector<std::string> wanted;
  for (const auto& [local, column] : coordinates) wanted.push_back(column);
  for (const auto& [local, column] : locals) wanted.push_back(column);
  return reading(draft, *file, Mistake::data_file, [&] {
    const Table table = read_table(path, wanted);
    DataSet data;
    data.file = file->text;
    data.count = table.rows;
    data.rows = rows(table, coordinates);
    data.values = rows(table, locals);
    for (const auto& [local, column] : locals) data.columns.push_back(local);
    if (const Node* sigma = node.at("sigma")) data.sigma = sigma->real;
    requirement.data = std::move(data);
  });
}

}  // namespace pinn::config
