#pragma once
#include <functional>

#include "data/geometry/shape.h"

namespace pinn {

/// A body by a function of space, negative inside, in 1 to 3 dimensions.
struct LevelSet {
  std::function<double(std::span<const double> x)> value;
  /// g [dimension]; where there is none, differences of the value do.
  std::function<void(std::span<const double> x, std::span<double> g)> gradient = {};
  std::vector<double> lower, upper;  ///< of a box that holds the body
  int cells =
      0;  ///< along its longest side, that find the surface; 0: 4096, 256 or 64 by dimension
};

/// The shape of a level set whose gradient does not vanish on the surface.
///
/// Parts thinner than a cell may be missed. Points of the surface lie on it to rounding, and are
/// uniform where it is smooth; within a cell of a crease they are too few by a part of them.
/// Distances are those to the foot on the surface that is found from the nearest piece of a
/// polyhedron: exact to rounding where the surface is smooth, too large by up to a part of a cell
/// at its creases, and to a part of its square where two pieces are as near.
///
///   errors   ConfigError: the value is not finite somewhere, is negative nowhere, or at the edge
///            of the box; the gradient vanishes on the surface
ShapePtr make_implicit(LevelSet level_set);

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
