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

}  // namespace pinn
