#pragma once
#include <vector>

#include "solvers/problem/problem.h"
#include "solvers/residual/points.h"

namespace pinn {

/// For each piece of a requirement the points that lie in it, in their order.
std::vector<std::vector<std::size_t>> points_by_piece(const Requirement& requirement,
                                                      const PointSet& points);

/// Some of the points, with all that belongs to them.
PointSet some_of(const PointSet& points, const std::vector<std::size_t>& which);

/// The points in the order of their pieces, which is that of the rows of a loss.
PointSet in_order_of_pieces(PointSet points, const Requirement& requirement);

}  // namespace pinn
