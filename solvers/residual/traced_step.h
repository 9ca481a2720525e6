#pragma once
#include "solvers/residual/part.h"
#include "solvers/residual/traced_points.h"

namespace pinn {

/// A requirement's share of a step as a graph. Outputs: the sum of squares of each residual, then
/// the gradient by each parameter block that matters.
struct TracedStep {
  /// The name of the input that holds weight over number of points, one per residual.
  static constexpr const char* scales = "scales";

  Graph graph;
  std::vector<std::size_t> gradient_blocks;
};

/// Traces residuals, squares and, if wanted, the gradient J^T s with the seeds s = 2 w r / n.
TracedStep trace_step(const PartOptions& options, const PointWidths& widths, bool with_gradient);

}  // namespace pinn
