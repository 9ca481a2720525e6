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
};

}  // namespace pinn
