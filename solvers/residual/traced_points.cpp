#include "solvers/residual/traced_points.h"

#include "autograd/core/error.h"

namespace pinn {
namespace {

/// The names of a block's arrays among the inputs of a step.
struct Names {
  std::string x, normals, columns;
};

Names names_of(End end) {
  if (end == End::near) return {"x", "normals", "columns"};
  return {"far x", "far normals", "far columns"};
}

}  // namespace

PointWidths::PointWidths(const PointSet& set)
    : x(set.x.size() / set.count),
      normals(set.normals.size() / set.count),
      columns(set.columns.size() / set.count) {}

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
  return block;
}

std::vector<cpu::RowArray> rows_of(const Program& program, const PointSet& near,
                                   const PointSet& far) {
  std::vector<cpu::RowArray> rows;
  for (const RowInput& row : program.rows)
    for (const End end : {End::near, End::far}) {
      const PointSet& set = end == End::near ? near : far;
      const Names names = names_of(end);
      for (const auto& [name, values] :
           {std::pair(names.x, &set.x), std::pair(names.normals, &set.normals),
            std::pair(names.columns, &set.columns)})
        if (name == row.name) rows.push_back({values->data(), values->size() / set.count});
    }
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
