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

/// What that input holds.
std::vector<double> scales_of(const std::vector<double>& weights, std::size_t points);
/// Where in the parameters each fixed input of a step's program begins; -1: the scales.
std::vector<std::int64_t> input_offsets(const Program& program, const Model& model);
/// The fixed inputs of a step's program, in its order.
std::vector<std::span<const double>> step_inputs(const Program& program,
                                                 std::span<const std::int64_t> offsets,
                                                 std::span<const double> p,
                                                 std::span<const double> scales);
/// What the sums of all points come to: adds up squares, one per residual; adds to the gradient
/// unless it is empty.
void read_step(const Executor& executor, const std::vector<std::size_t>& gradient_blocks,
               const Model& model, std::span<const double> sums, std::span<double> squares,
               std::span<double> gradient);

/// Traces residuals, squares and, if wanted, the gradient J^T s with the seeds s = 2 w r / n.
TracedStep trace_step(const PartOptions& options, const PointWidths& widths, bool with_gradient);

}  // namespace pinn
