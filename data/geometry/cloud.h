#pragma once
#include "data/geometry/shape.h"

namespace pinn {

/// Points of a boundary that is known by them alone, each with its outward normal.
struct Cloud {
  int dimension = 0;
  std::vector<double> points;   ///< [count, dimension]
  std::vector<double> normals;  ///< as points, of unit length

  std::size_t count() const { return points.size() / std::size_t(dimension); }
};

/// Reads the points from the columns of a table, CSV or HDF5; normals are brought to unit length.
///
///   coordinates, normals   names of columns, one per coordinate of space
///   errors                 ConfigError with file and line for the table, with file and point for
///                          a normal that is zero
Cloud read_cloud(const std::string& path, const std::vector<std::string>& coordinates,
                 const std::vector<std::string>& normals);

/// Draws from the points, each as often as the others: so they ought to be spread evenly. One
/// number chooses the point; what they are the surface of is not known, so the measure is 1.
std::shared_ptr<const Sampler> cloud_sampler(Cloud cloud);

/// The points as a shape that is nothing but its surface: it has no inside and no distance, and at
/// a place the normal of the nearest point.
ShapePtr make_cloud(Cloud cloud);

}  // namespace pinn
