#include "solvers/residual/traced_points.h"

#include "autograd/core/error.h"

namespace pinn {
namespace {

std::size_t per_point(const std::vector<double>& array, const PointSet& set) {
  return set.count == 0 ? 0 : array.size() / set.count;
}

}  // namespace

PointWidths::PointWidths(const PointSet& set)
    : x(per_point(set.x, set)),
      normals(per_point(set.normals, set)),
      columns(per_point(set.columns, set)),
      weights(per_point(set.weights, set)) {}

Block traced_block(Trace& trace, const PointWidths& widths, DType dtype) {
  const auto row = [&](const std::string& name, std::size_t width) {
    if (width == 0) return Tensor();
    return trace.input(name, {any_points, std::int64_t(width)}, dtype, Extent::row);
  };
  Block block;
  block.x = row("x", widths.x);
  block.normals = row("normals", widths.normals);
  block.columns = row("columns", widths.columns);
  block.weights = row("weights", widths.weights);
  return block;
}

RowArray row_of(const std::string& name, const PointSet& points) {
  for (const auto& [known, values] :
       {std::pair("x", &points.x), std::pair("normals", &points.normals),
        std::pair("columns", &points.columns), std::pair("weights", &points.weights)})
    if (known == name) return {values->data(), per_point(*values, points)};
  throw InternalError({"a compiled step asks for an array '" + name + "'", "row_of", ""});
}

std::vector<RowArray> rows_of(const Program& program, const PointSet& points) {
  std::vector<RowArray> rows;
  for (const RowInput& row : program.rows) rows.push_back(row_of(row.name, points));
  return rows;
}

std::vector<Tensor> traced_parameters(Trace& trace, const Model& model, DType dtype) {
  std::vector<Tensor> parameters;
  for (const ParameterBlock& b : model.blocks())
    parameters.push_back(trace.input(b.name, b.shape, dtype, Extent::fixed));
  return parameters;
}

const ParameterBlock& block_of(const Model& model, const std::string& name) {
  for (const ParameterBlock& b : model.blocks())
    if (b.name == name) return b;
  throw InternalError({"a compiled step asks for an input '" + name + "'", "block_of", ""});
}

std::span<const double> parameters_of(const Model& model, const std::string& name,
                                      std::span<const double> p) {
  const ParameterBlock& b = block_of(model, name);
  return p.subspan(std::size_t(b.offset), std::size_t(b.shape.numel()));
}

}  // namespace pinn
