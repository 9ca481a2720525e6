#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/ops/point_function.h"
#include "data/tables/axis.h"

namespace pinn {

/// Name of a table, and how it is read between and beyond its points.
struct TableOptions {
  std::string name;
  std::vector<std::string> inputs;  ///< their names, in the order of arguments: 1 to 4
  Interpolation interpolation = Interpolation::linear;
  Outside outside = Outside::error;
};

/// A function from data. Beyond its range it is what it is at the nearest place of the range, with
/// slopes of 0 there, unless it is periodic; whether that is allowed is the caller's to ask.
class TableFunction : public PointFunction {
 public:
  explicit TableFunction(TableOptions options) : options_(std::move(options)) {}

  const std::string& name() const override { return options_.name; }
  int inputs() const override { return int(options_.inputs.size()); }
  const TableOptions& options() const { return options_; }
  /// From the lowest to the highest number of each input, [inputs][2].
  virtual std::vector<std::vector<double>> ranges() const = 0;
  /// "101 x 51 grid", "2000 points"
  virtual std::string extent() const = 0;
  /// The input that lies outside, or -1; none does where the table is periodic.
  virtual int outside(std::span<const double> x) const = 0;
  /// Numbers between `lower` and `upper` at which a function of input i alone may turn.
  virtual std::vector<double> turns(int input, double lower, double upper) const = 0;

  /// One value.
  double operator()(std::span<const double> x, const MultiIndex& order = {}) const;

 private:
  TableOptions options_;
};

/// A table on a grid as it is read: values in row-major order, of a cubic with the slopes by every
/// set of inputs behind each.
struct TableGrid {
  const TableOptions& options;
  const std::vector<TableAxis>& axes;
  const std::vector<double>& values;
};
class HasGrid {
 public:
  virtual ~HasGrid() = default;
  virtual TableGrid grid() const = 0;
};

using TablePtr = std::shared_ptr<const TableFunction>;

/// A table on a grid: knots per input, [inputs][knots]; values in row-major order, of the last
/// input next to each other. Cubic: the tensor product of cubic splines with not-a-knot ends, or
/// with a period.
///
///   errors   ConfigError for knots that do not ascend, and for a period whose ends differ
TablePtr grid_table(TableOptions options, std::vector<std::vector<double>> knots,
                    std::vector<double> values);

/// The value of the nearest of some points [count, inputs], distances in units of the ranges.
TablePtr nearest_table(TableOptions options, std::vector<double> points,
                       std::vector<double> values);

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

/// A table as C, `static double NAME(const int* order, const double* x)`, and the functions of C's
/// mathematics library that it calls.
struct TableText {
  std::string text;
  std::vector<std::string> libm = {};
};

/// A table that can be written as C.
class WritesC {
 public:
  virtual ~WritesC() = default;
  virtual TableText c_text(const std::string& name) const = 0;
};

/// On a grid; `values` as evaluation reads them, of a cubic with the slopes by every set of inputs
/// behind each value.
TableText grid_text(const std::string& name, const TableOptions& options,
                    const std::vector<TableAxis>& axes, const std::vector<double>& values);

/// The value of the nearest point; `points` [count, inputs] in units of the ranges.
TableText nearest_text(const std::string& name, const std::vector<TableAxis>& ranges,
                       const std::vector<double>& points, const std::vector<double>& values);

}  // namespace pinn
