#pragma once
#include <functional>

#include "data/geometry/shape.h"

namespace pinn {

/// A shape of some of the coordinates of space, the same at every value of the others: a disk over
/// x and y is a pillar along z. Unbounded, so a part of formulas only.
///
///   over   the coordinates of the shape among `dimension` ones, in its order
ShapePtr make_lifted(ShapePtr shape, std::vector<int> over, int dimension);

/// The part of a box where a condition holds. It has no distance and no surface.
ShapePtr make_where(std::function<bool(std::span<const double> place)> holds,
                    std::vector<Interval> box);

}  // namespace pinn
