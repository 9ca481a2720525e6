#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/files/disk.h"

namespace pinn {

/// A coordinate along which fields were sampled.
struct Axis {
  std::string name, unit;
  bool time = false;
  std::vector<double> values;  ///< grid: the positions, in order; points: one per point
};

/// A field, a derivative or a residual, sampled.
struct FieldValues {
  std::string name;               ///< or an expression: u, u_x, d(k*u_x, x)
  std::string unit, description;  ///< may be empty
  std::vector<double> values;  ///< grid: row-major in the order of the axes; points: one per point
};

/// Points beside the fields, of another purpose than to show these.
struct NamedPoints {
  std::string name;
  std::vector<double> x;        ///< [points, axes]
  std::vector<double> weights;  ///< [points, any], or empty
};

/// A text of every point, one of few.
struct PointLabels {
  std::string name;
  std::vector<std::string> texts;
  std::vector<std::size_t> of_points;  ///< per point its number in `texts`; empty: there are none
};

/// A number found of the fields as a whole.
struct NamedNumber {
  std::string name;
  double value = 0;
  double uncertainty = 0;  ///< of its integrals, about
  double error = NAN;      ///< from what it ought to be; NaN: nobody knows
};

/// Simplices between points, at moments one after the other, each with points of its own.
struct Cells {
  struct Moment {
    double time = 0;
    std::size_t points = 0, cells = 0;  ///< how many
  };
  std::size_t corners = 1;           ///< of a cell
  std::vector<std::int64_t> points;  ///< [cells, corners], counted from the first of the moment
  std::vector<Moment> moments;
};

/// Fields sampled on a grid (every combination of the axes' values) or at points, single ones or
/// the corners of simplices. Where all fields are NaN they are missing: there is no domain.
struct Fields {
  bool grid = true;
  std::vector<Axis> axes;  ///< in the order of the problem
  std::vector<FieldValues> fields;
  std::optional<Cells> cells = {};                ///< between points
  std::vector<NamedPoints> training_points = {};  ///< in .h5 files only
  std::vector<NamedNumber> values = {};           ///< the same
  PointLabels labels = {};  ///< in .csv files a column; in .vtu numbers, the texts beside them
};

/// Origin of a result.
struct Provenance {
  std::string title;                         ///< the problem's name
  std::string source;                        ///< program and version
  std::map<std::string, std::string> texts;  ///< stored as /meta/NAME: the problem file, hashes ...
};

struct Written {
  std::vector<std::string> files;
  std::string note;  ///< what a user should know about them, or empty
};

/// A format of files that hold fields.
struct FieldFormat {
  const char* ending;  ///< of names: ".vtu"
  bool takes_points;   ///< for points that are drawn, too, each with a label
  bool in_h5;          ///< the values lie in a file of the same name that ends in .h5
  Written (*write)(const std::string& path, const Fields& fields, const Provenance& provenance,
                   FileSystem& files);
};

/// ".h5, .xdmf, .vtu or .csv": the endings of all formats, or of those that take points.
std::string endings(bool of_points = false);
/// True if the name is that of a file that takes points.
bool takes_points(const std::string& path);
/// The file that will hold the values where fields are written to a path.
std::string holder_of(const std::string& path);

/// Writes fields in the format that the name asks for; docs/output_files.md describes all of them.
///
///   .h5, .xdmf  an HDF5 file with dimension scales that xarray, netCDF and h5py open, and beside
///               it an XDMF file for ParaView, up to three axes and time
///   .vtu        a mesh for ParaView; up to three axes, time being one of them; of simplices one
///               moment
///   .csv        a line per point
///
/// Missing values are NaN in HDF5, shown by no cell, and no line of a grid; at points their cells
/// are empty.
///
///   errors   ConfigError when the format cannot hold the fields or is unknown; FileError
Written write_fields(const std::string& path, const Fields& fields, const Provenance& provenance,
                     FileSystem& files);
Written write_fields(const std::string& path, const Fields& fields, const Provenance& provenance);

}  // namespace pinn
