#pragma once
#include <functional>
#include <optional>

#include "data/geometry/body.h"

namespace pinn {

/// A region of space and the other coordinates, made with bodies: points of space from a body, or
/// from a plane that bodies cut, at every value of the others.
struct Cut {
  std::vector<Interval> box;       ///< of all coordinates; those of `space` cut what the body gives
  std::vector<int> space;          ///< the coordinates that bodies speak of, in their order
  Body body;                       ///< null: the box, less what is not kept
  std::optional<BodyPiece> piece;  ///< of the body's surface; else its interior
  std::vector<double> normal;      ///< without a body: of the plane, or empty
  /// Conditions that points [coordinates] must meet, beside all that.
  std::vector<std::function<bool(std::span<const double> x)>> conditions;
};

/// How near to a surface or a plane, in parts of the shape's size, a point is on it.
inline constexpr double on_surface_share = 1e-9;

/// The coordinates of space of a point [coordinates].
std::vector<double> place_of(std::span<const double> x, const std::vector<int>& space);

/// That, as a length; of what is unbounded the share of 1.
double nearness(const SpatialShape& shape);

/// True if a place lies in a shape, and if it lies on its surface, both to 1e-9 of the shape's
/// size.
bool nearly_inside(const SpatialShape& shape, std::span<const double> place);
bool nearly_on_surface(const SpatialShape& shape, std::span<const double> place);

/// The region; null where nothing is left. Of a body that moves its measure is that of space times
/// the lengths of the other coordinates, and points are uniform by that.
///
/// On a surface a coordinate that the box fixes, and that a whole piece has (a flat wall), is met
/// to 1e-9 of the shape's size, and then exact.
std::shared_ptr<const Region> make_cut(Cut cut);

}  // namespace pinn
