#pragma once
#include <functional>

#include "data/geometry/shape.h"

namespace pinn {

/// A region of space and the other coordinates, made with shapes: points of space from a shape, or
/// from a plane that shapes cut, at every value of the others.
struct Cut {
  std::vector<Interval> box;  ///< of all coordinates; those of `space` cut what `set` gives
  std::vector<int> space;     ///< the coordinates that shapes speak of, in their order
  ShapePtr shape;             ///< null: the box, less what is not kept
  bool on_surface = false;    ///< `piece` of the shape's surface, else its interior
  std::shared_ptr<const Sampler> piece;
  std::vector<double> normal;  ///< without a shape: of the plane, or empty
  /// What points of space must be, beside all that.
  std::vector<std::function<bool(std::span<const double>)>> conditions;
};

/// How near to a surface or a plane, in parts of the shape's size, a point is on it.
inline constexpr double on_surface_share = 1e-9;

/// Whether a point lies in a shape or on its surface to 1e-9 of its size; near to it, on its
/// surface to that.
bool nearly_inside(const SpatialShape& shape, std::span<const double> x);
bool nearly_on_surface(const SpatialShape& shape, std::span<const double> x);

/// The region; null where nothing is left.
///
/// On a surface a coordinate that the box fixes, and that a whole piece has (a flat wall), is met
/// to 1e-9 of the shape's size, and then exact.
std::shared_ptr<const Region> make_cut(Cut cut);

}  // namespace pinn
