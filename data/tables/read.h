#pragma once
#include <string>
#include <vector>

#include "data/tables/table_function.h"

namespace pinn {

/// Place of a table in a file.
struct TableSource {
  std::string path;
  std::string value;                 ///< its column or array
  std::vector<std::string> columns;  ///< of each input, in the order of arguments
  /// Inputs of a grid in the order of the array's dimensions; empty: the file has one row per
  /// point.
  std::vector<int> axes = {};
};

/// Reads a table. Points with one input become a grid, and so do those that fill one. An HDF5 grid
/// is an array of the lengths of its axes, arrays of one dimension; the grid of a CSV file has one
/// row per place, in any order.
///
///   errors   ConfigError for whatever is wrong with the file: lengths that do not fit, the scales
///            attached to an array where they are others, numbers that are not finite, with their
///            place, points that are there twice
TablePtr read_table_function(const TableSource& source, const TableOptions& options);

}  // namespace pinn
