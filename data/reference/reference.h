#pragma once
#include <cstdint>
#include <functional>
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

/// How the project makes one of its reference solutions.
struct Recipe {
  std::string name;      ///< of the problem, and of the file
  std::string equation;  ///< with its data, as text
  std::string method;
  std::string note;  ///< what a reader must know to use it, or empty
  /// Coordinates, axes and fields with nodes and steps that grow with `resolution`: 4 is what the
  /// file holds, 1 the least that makes sense.
  std::function<Reference(int resolution)> solve;
};

const std::vector<Recipe>& recipes();

/// The recipe of that name; throws ConfigError with the names there are.
const Recipe& recipe(const std::string& name);

/// The solution at resolution 4 and, as its bound, how far it is from the one at resolution 2: more
/// than its own error, since every method here gains at least a digit between the two. Never below
/// the rounding of a double.
Reference make_reference(const Recipe& recipe);

/// A made experiment: `count` readings at random points of a reference, as CSV with one column per
/// coordinate and field. Each field carries independent normal noise, `noise` times its standard
/// deviation over the grid. The same arguments give the same text on every machine.
std::string observe(const Reference& reference, std::size_t count, double noise,
                    std::uint64_t seed);

}  // namespace pinn
