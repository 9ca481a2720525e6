#pragma once
#include <cstddef>
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn {

/// Points with what belongs to them, row-major, float64.
struct PointSet {
  std::size_t count = 0;
  std::vector<double> x;        ///< [count, coordinates]
  std::vector<double> normals;  ///< [count, coordinates], or empty
  std::vector<double> columns;  ///< [count, local columns of data], or empty
  /// [count, residuals] or [count, 1], at least 0: what each square counts for in its mean; empty:
  /// all 1
  std::vector<double> weights = {};
};

/// For each piece of a requirement the points that lie in it, in their order.
std::vector<std::vector<std::size_t>> points_by_piece(const Requirement& requirement,
                                                      const PointSet& points);

/// Some of the points, with all that belongs to them.
PointSet some_of(const PointSet& points, const std::vector<std::size_t>& which);

/// The points in the order of their pieces, which is that of the rows of a loss.
PointSet in_order_of_pieces(PointSet points, const Requirement& requirement);

}  // namespace pinn
