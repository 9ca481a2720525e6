#pragma once
#include <cstddef>
#include <vector>

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

}  // namespace pinn
