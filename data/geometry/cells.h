#pragma once
#include <functional>

#include "data/geometry/shape.h"

namespace pinn {

/// Cover of a ball of space by a set: nothing; perhaps something; nothing but what is of the set.
enum class Cover { none, part, whole };

/// Uniform points of a bounded set that fills its box badly, out of cells that hold it: boxes are
/// halved along their longest sides until most of what is left is of the set, as far as some ten
/// thousand cells can tell. Cells stand along a curve through space, so that points that are
/// spread evenly in the cube are so in the set.
///
///   cover    of the ball around a center; `part` is never wrong
///   inside   whether a point is of the set
///   measure  of the set, where it is known
std::shared_ptr<const Sampler> make_cell_sampler(
    const std::vector<Interval>& bounds,
    const std::function<Cover(std::span<const double> center, double radius)>& cover,
    const std::function<bool(std::span<const double> x)>& inside, double measure = 0);

}  // namespace pinn
