#include "data/files/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"

namespace pinn {
namespace {

void require_finite(const std::vector<double>& values, const std::string& where, bool missing) {
  const auto bad = std::find_if(values.begin(), values.end(), [&](double x) {
    return !std::isfinite(x) && !(missing && std::isnan(x));
  });
  if (bad != values.end())
    throw ConfigError({fmt::format("number {} of the array is {}, which is not finite",
                                   bad - values.begin() + 1, *bad),
                       where, "remove that row: every number must be finite"});
}

Table read_h5(const std::string& path, const std::vector<std::string>& names, bool missing) {
  const H5Reader file(path);
  Table table{names.empty() ? file.names("/") : names, {}, 0};
  for (const std::string& name : table.names) {
    table.columns.push_back(file.read<double>(name).values);
    require_finite(table.columns.back(), path + ":" + name, missing);
    const std::size_t rows = table.columns.back().size(), expected = table.columns.front().size();
    if (rows != expected)
      throw ConfigError({fmt::format("'{}' has {} values, but '{}' has {}", name, rows,
                                     table.names.front(), expected),
                         path, "give every column one value per observation"});
  }
  table.rows = table.columns.empty() ? 0 : table.columns.front().size();
  if (table.rows == 0)
    throw ConfigError(
        {"the columns hold no values", path, "give every column one value per observation"});
  return table;
}

/// A data file is part of the user's input.
template <class Read> auto as_input(Read read) {
  try {
    return read();
  } catch (const FileError& error) {
    throw ConfigError(error.report);
  }
}

}  // namespace

const std::vector<double>& Table::column(const std::string& name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw InternalError(
        {"column '" + name + "' was never read", "table", "ask for it in read_table"});
  return columns[std::size_t(at - names.begin())];
}

Table read_table(const std::string& path, const std::vector<std::string>& names, bool missing) {
  return as_input([&] {
    return is_hdf5(path) ? read_h5(path, names, missing) : read_csv(path, names, missing);
  });
}

bool is_hdf5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

std::vector<std::string> table_names(const std::string& path) {
  return as_input([&] { return is_hdf5(path) ? H5Reader(path).names("/") : csv_names(path); });
}

}  // namespace pinn
