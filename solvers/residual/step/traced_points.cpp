#include "solvers/residual/step/traced_points.h"

#include "autograd/core/error.h"

namespace pinn {
namespace {

std::size_t per_point(const std::vector<double>& array, const PointSet& set) {
  return set.count == 0 ? 0 : array.size() / set.count;
}

RowArray row_of(const InputSource& given, const BoundInputs::Numbers& numbers) {
  const PointSet& points = *numbers.points;
  const auto array = [&](const std::vector<double>& values) {
    return RowArray{values.data(), per_point(values, points)};
  };
  switch (given.kind) {
    case InputSource::x:
      return array(points.x);
    case InputSource::normals:
      return array(points.normals);
    case InputSource::columns:
      return array(points.columns);
    case InputSource::weights:
      return array(points.weights);
    case InputSource::known:
      return array((*numbers.known)[given.index]);
    default:
      return {numbers.seeds + given.index * points.count, 1};
  }
}

std::span<const double> fixed_of(const InputSource& given, const FixedInput& input,
                                 const Model& model, const BoundInputs::Numbers& numbers) {
  if (given.kind == InputSource::scales) return numbers.scales;
  if (given.kind == InputSource::directions) {
    if (numbers.directions.size() != std::size_t(input.count))
      throw InternalError({"a step that estimates Laplacians was given no directions", "", ""});
    return numbers.directions;
  }
  if (given.kind == InputSource::constants) return model.constants().values();
  if (given.kind == InputSource::fixed) return model.fixed()[given.index].second;
  const ParameterBlock& block = model.blocks()[given.index];
  if (block.shape.numel() != input.count)
    throw InternalError({"the parameters '" + block.name + "' of a model have " +
                             std::to_string(block.shape.numel()) + " numbers, in its step " +
                             std::to_string(input.count),
                         "", "report this as a bug"});
  const auto& all = given.kind == InputSource::direction ? numbers.direction : numbers.parameters;
  return all.subspan(std::size_t(block.offset), std::size_t(input.count));
}

}  // namespace

PointWidths::PointWidths(const PointSet& set)
    : x(per_point(set.x, set)),
      normals(per_point(set.normals, set)),
      columns(per_point(set.columns, set)),
      weights(per_point(set.weights, set)) {}

Tensor TracedInputs::input(InputSource given, const std::string& name, const Shape& shape,
                           Extent extent) {
  given_.push_back(given);
  return trace_.input(name, shape, dtype_, extent);
}

Block TracedInputs::block(const PointWidths& widths) {
  const auto row = [&](InputSource::Kind what, const char* name, std::size_t width) {
    if (width == 0) return Tensor();
    return input({what}, name, {any_points, std::int64_t(width)}, Extent::row);
  };
  Block block;
  block.x = row(InputSource::x, "x", widths.x);
  block.normals = row(InputSource::normals, "normals", widths.normals);
  block.columns = row(InputSource::columns, "columns", widths.columns);
  block.weights = row(InputSource::weights, "weights", widths.weights);
  const Model::Fixed& fixed = model_.fixed();
  for (std::size_t i = 0; i < fixed.size(); ++i)
    block.fixed.push_back(input({InputSource::fixed, i},
                                "before " + std::to_string(i) + " " + fixed[i].first.name,
                                fixed[i].first.shape, Extent::fixed));
  return block;
}

void TracedInputs::add_constants(Block& block) {
  const std::size_t count = model_.constants().values().size();
  if (count > 0)
    block.constants =
        input({InputSource::constants}, "constants", {std::int64_t(count)}, Extent::fixed);
}

void TracedInputs::add_directions(Block& block, const std::vector<int>& along) {
  if (along.empty()) return;
  block.along = along;
  block.directions = input({InputSource::directions}, "directions",
                           {std::int64_t(along.size()), block.x.shape()[1]}, Extent::fixed);
}

std::vector<Tensor> TracedInputs::by_blocks(InputSource::Kind what) {
  const std::string prefix = what == InputSource::direction ? "direction of " : "";
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < model_.blocks().size(); ++i) {
    const ParameterBlock& b = model_.blocks()[i];
    all.push_back(input({what, i}, prefix + b.name, b.shape, Extent::fixed));
  }
  return all;
}

std::vector<Tensor> TracedInputs::seeds(std::size_t terms) {
  std::vector<Tensor> w;
  for (std::size_t k = 0; k < terms; ++k)
    w.push_back(select(
        input({InputSource::seed, k}, "seed " + std::to_string(k), {any_points, 1}, Extent::row), 1,
        0));
  return w;
}

Tensor TracedInputs::scales(std::size_t terms) {
  return input({InputSource::scales}, "scales", {std::int64_t(terms)}, Extent::fixed);
}

void BoundInputs::bind(const Program& program, const std::vector<InputSource>& given,
                       const Model& model, const Numbers& numbers) {
  fixed_.clear();
  rows_.clear();
  for (const FixedInput& input : program.fixed)
    fixed_.push_back(fixed_of(given[std::size_t(input.input)], input, model, numbers));
  for (const RowInput& row : program.rows)
    rows_.push_back(row_of(given[std::size_t(row.input)], numbers));
}

}  // namespace pinn
