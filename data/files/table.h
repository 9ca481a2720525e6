#pragma once
#include <string>
#include <vector>

namespace pinn {

/// Named columns of finite numbers, or NaN where one is missing, all of one length.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< [names][rows]
  std::size_t rows = 0;

  /// The column of that name; throws InternalError when it was not asked for.
  const std::vector<double>& column(const std::string& name) const;
};

/// Reads the named columns in the order asked for; no names: all of them, as the file has them.
///
/// A name ending in .h5 or .hdf5 is an HDF5 file; a column is then an array, named by its path
/// ("time" or "probe/time"); arrays of several axes are read row by row. Anything else is CSV: a
/// header line with the names, then rows of numbers with a decimal point, separated by commas.
/// Lines that are empty or begin with # are skipped; a cell may be quoted. Columns that are not
/// asked for may hold anything.
///
///   missing  NaN stands for what is missing: an empty cell, nan, NA; without it that is an error
///   errors   ConfigError with file:line:column for whatever is wrong with the file
Table read_table(const std::string& path, const std::vector<std::string>& names = {},
                 bool missing = false);

/// True if a file of this name is taken for an HDF5 file.
bool is_hdf5(const std::string& path);

/// The names of all columns, or of all arrays and groups at the top of an HDF5 file. Errors as
/// above.
std::vector<std::string> table_names(const std::string& path);

/// The CSV half of read_table.
///
///   errors   ConfigError for the content, FileError when the file cannot be read
Table read_csv(const std::string& path, const std::vector<std::string>& names,
               bool missing = false);

/// The names in the header line. Errors as above.
std::vector<std::string> csv_names(const std::string& path);

}  // namespace pinn
