#pragma once
#include "autograd/compile.h"
#include "solvers/residual/residuals.h"

namespace pinn {

/// How many numbers each array of a point set has per point.
struct PointWidths {
  PointWidths() = default;
  explicit PointWidths(const PointSet& set);
  std::size_t x = 0, normals = 0, columns = 0, weights = 0;
  bool operator==(const PointWidths&) const = default;
};

/// A block of points that a trace may use: its arrays are inputs of the graph.
Block traced_block(Trace& trace, const PointWidths& widths, DType dtype);
/// The array of a row input, by its name, out of a point set.
RowArray row_of(const std::string& name, const PointSet& points);
/// The arrays that a program asks for.
std::vector<RowArray> rows_of(const Program& program, const PointSet& points);

/// The parameters of a model as inputs of a trace, one tensor per block.
std::vector<Tensor> traced_parameters(Trace& trace, const Model& model, DType dtype);
/// The parameters that a program's fixed input of this name asks for: which, and their values.
const ParameterBlock& block_of(const Model& model, const std::string& name);
std::span<const double> parameters_of(const Model& model, const std::string& name,
                                      std::span<const double> p);

}  // namespace pinn
