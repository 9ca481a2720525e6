#pragma once
#include <span>
#include <vector>

#include "solvers/report/drawing.h"

namespace pinn::pages {

/// Lines of equal value on a grid of nodes, values [rows, columns] at (column, row), each a run of
/// points; none through cells with a corner that is not finite.
///
///   source  marching squares; the middle of a cell decides its two ways through a saddle
std::vector<std::vector<Point>> isolines(std::span<const double> values, std::size_t columns,
                                         double level);

}  // namespace pinn::pages
