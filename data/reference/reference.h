#pragma once
#include <map>
#include <string>
#include <vector>

namespace pinn {

/// A solution known on a tensor grid of points, with a bound on its own error.
struct Reference {
  std::vector<std::string> coordinates;               ///< in the order of the axes
  std::vector<std::vector<double>> axes;              ///< one per coordinate, increasing
  std::map<std::string, std::vector<double>> fields;  ///< name -> values, row-major over the axes
  double bound = 0;                          ///< measured relative L2 error of its worst field
  std::map<std::string, std::string> about;  ///< equation, method, command, note, written_by

  std::size_t count() const;  ///< points of the grid
  /// The points [count, names.size()], row-major, as a network with inputs `names` wants them.
  /// Throws FileError when `names` are not the coordinates in some order.
  std::vector<double> points(const std::vector<std::string>& names) const;
};

/// |a - b| / |b| over all values.
double relative_l2(const std::vector<double>& a, const std::vector<double>& b);

/// Reads an HDF5 file: one 1-D dataset per coordinate, one N-D dataset per field, attributes
/// `order` (the coordinates, as the axes of the fields are), `error_bound` and those of `about`.
/// Throws FileError when it is not such a file.
Reference load_reference(const std::string& path);

/// Writes that file, compressed, all or nothing.
void save_reference(const Reference& reference, const std::string& path);

}  // namespace pinn
