#pragma once
#include <vector>

#include "data/geometry/region.h"
#include "solvers/problem/expression.h"

namespace pinn {

/// Points that see all of some formulas, with weights that make means over them integrals.
struct WeightedPoints {
  std::size_t count = 0;
  std::vector<double> x;        ///< [count, coordinates]
  std::vector<double> weights;  ///< the shares of the box that they stand for; their sum is 1
};

/// Cuts the box into `count` cells, one half at a time, and takes a point of each. Every second cut
/// halves the largest cell; the others halve the cell on which a formula changes most, along the
/// coordinate that it changes with. Ranges of the formulas (solvers/problem/range.h) lead there, so
/// a layer or a peak of any width is found, wherever it is. Coordinates that the box fixes stay
/// fixed. The points are a function of the arguments alone.
///
///   averaged  coordinates over which means are to be taken: the points come in sets that agree in
///             all others. Empty: none.
WeightedPoints formula_points(const std::vector<ExpressionPtr>& formulas,
                              const std::vector<Interval>& box, std::size_t count,
                              const std::vector<bool>& averaged = {});

}  // namespace pinn
