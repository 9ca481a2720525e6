#pragma once
#include "data/tables/table_function.h"

namespace pinn {

/// A linear table of points [count, inputs] that fill no grid, 2 inputs or more: Shepard's method
/// with a plane through each point, as R. J. Renka has it (ACM Transactions on Mathematical
/// Software 14 (1988) 139-148). Planes are fitted to the points around and blended by inverse
/// distances, in units of the ranges, over the nearest points. It takes the values of the points,
/// and is exact for linear functions; its first derivatives are those of what is evaluated, and
/// jump where the nearest points change.
///
///   errors   ConfigError for too few points
TablePtr planes_table(const TableOptions& options, const std::vector<double>& points,
                      const std::vector<double>& values);

/// Whether a table is one of points that fill no grid.
bool is_scattered(const TableFunction& table);

}  // namespace pinn
