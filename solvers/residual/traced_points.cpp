#include "solvers/residual/traced_points.h"

#include "autograd/core/error.h"

namespace pinn {
namespace {

/// The names of a block's arrays among the inputs of a step.
struct Names {
  std::string x, normals, columns, weights;
};

Names names_of(End end) {
  if (end == End::near) return {"x", "normals", "columns", "weights"};
  return {"far x", "far normals", "far columns", "far weights"};
}

}  // namespace

PointWidths::PointWidths(const PointSet& set)
    : x(set.x.size() / set.count),
      normals(set.normals.size() / set.count),
      columns(set.columns.size() / set.count),
      weights(set.weights.size() / set.count) {}

Block traced_block(Trace& trace, End end, const PointWidths& widths, DType dtype) {
  const auto row = [&](const std::string& name, std::size_t width) {
    if (width == 0) return Tensor();
    return trace.input(name, {any_points, std::int64_t(width)}, dtype, Extent::row);
  };
  const Names names = names_of(end);
  Block block;
  block.x = row(names.x, widths.x);
  block.normals = row(names.normals, widths.normals);
  block.columns = row(names.columns, widths.columns);
  block.weights = row(names.weights, widths.weights);
  return block;
}

cpu::RowArray row_of(const std::string& name, const PointSet& near, const PointSet& far) {
  for (const End end : {End::near, End::far}) {
    const PointSet& set = end == End::near ? near : far;
    const Names names = names_of(end);
    for (const auto& [known, values] :
         {std::pair(names.x, &set.x), std::pair(names.normals, &set.normals),
          std::pair(names.columns, &set.columns), std::pair(names.weights, &set.weights)})
      if (known == name) return {values->data(), values->size() / set.count};
  }
  throw InternalError({"a compiled step asks for an array '" + name + "'", "row_of", ""});
}

std::vector<cpu::RowArray> rows_of(const Program& program, const PointSet& near,
                                   const PointSet& far) {
  std::vector<cpu::RowArray> rows;
  for (const RowInput& row : program.rows) rows.push_back(row_of(row.name, near, far));
  return rows;
}

std::vector<Tensor> traced_parameters(Trace& trace, const Model& model, DType dtype) {
  std::vector<Tensor> parameters;
  for (const ParameterBlock& b : model.blocks())
    parameters.push_back(trace.input(b.name, b.shape, dtype, Extent::fixed));
  return parameters;
}

std::span<const double> parameters_of(const Model& model, const std::string& name,
                                      std::span<const double> p) {
  for (const ParameterBlock& b : model.blocks())
    if (b.name == name) return p.subspan(std::size_t(b.offset), std::size_t(b.shape.numel()));
  throw InternalError({"a compiled step asks for an input '" + name + "'", "parameters_of", ""});
}

}  // namespace pinn
