#pragma once
#include <string>
#include <vector>

#include "solvers/residual/points.h"
#include "solvers/train/run.h"

namespace pinn {

/// What is known of the solution: some quantities at points that stand for the domain.
struct Known {
  std::vector<std::string> names;           ///< of the quantities
  std::vector<ExpressionPtr> quantities;    ///< as the model has them
  std::vector<std::vector<double>> values;  ///< [quantity][point]
  PointSet points;
  std::vector<double> weights;  ///< per point, the share of the domain; their sum is 1
  /// With a gauge: points of one group agree in all other coordinates; means are taken over it.
  std::vector<std::size_t> groups;
  std::size_t group_count = 0;
};

/// Nodes of a file as they are, formulas at points of their own (formula_points.h), which do not
/// depend on the output.
///
///   errors   ConfigError when a formula is not finite at some point, or a gauge leaves nothing
Known known_of(const Run& run);

/// "x = 0.01, t = 0.99": a point of them, from 0.
std::string place(const Known& known, const Problem& problem, std::size_t point);

}  // namespace pinn
