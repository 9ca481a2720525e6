#include "solvers/residual/evaluate/block.h"

#include <algorithm>

namespace pinn {
namespace {

/// Rows [begin, end) of a row-major array of `count` rows; undefined when it is empty.
Tensor rows(const std::vector<double>& all, std::size_t count, std::size_t begin, std::size_t end,
            DType dtype, Device device) {
  if (all.empty() || count == 0) return {};
  const std::size_t width = all.size() / count;
  return from_values(std::span(all).subspan(begin * width, (end - begin) * width),
                     {std::int64_t(end - begin), std::int64_t(width)}, dtype, device);
}

}  // namespace

Block make_block(const PointSet& set, std::size_t begin, std::size_t end, DType dtype,
                 Device device) {
  Block block;
  block.x = rows(set.x, set.count, begin, end, dtype, device);
  block.normals = rows(set.normals, set.count, begin, end, dtype, device);
  block.columns = rows(set.columns, set.count, begin, end, dtype, device);
  block.weights = rows(set.weights, set.count, begin, end, dtype, device);
  return block;
}

std::vector<Tensor> fixed_tensors(const Model& model, DType dtype, Device device) {
  std::vector<Tensor> all;
  for (const auto& [block, values] : model.fixed())
    all.push_back(from_values(values, block.shape, dtype, device));
  return all;
}

Block block_before(const Block& block, const Model& model) {
  const auto [t, start] = model.start();
  const std::int64_t i = t, d = block.x.shape()[1];
  std::vector<Tensor> x;
  if (i > 0) x.push_back(slice(block.x, 1, 0, i));
  x.push_back(slice(block.x, 1, i, i + 1) * 0.0 + start);
  if (i + 1 < d) x.push_back(slice(block.x, 1, i + 1, d));
  Block before;
  before.x = concat(x, 1);
  before.frozen = t;
  before.directions = block.directions;
  before.along = block.along;
  const std::size_t own = model.before()->model->blocks().size();
  before.fixed.assign(block.fixed.begin() + std::ptrdiff_t(own), block.fixed.end());
  return before;
}

bool Block::may_keep(const Expression& e, const JetTable* table) const {
  using Kind = Expression::Kind;
  for (const Kind kind :
       {Kind::field, Kind::unknown, Kind::raw_output, Kind::derivative, Kind::elsewhere})
    if (e.kind == kind) return false;
  return std::all_of(e.inputs.begin(), e.inputs.end(), [&](const ExpressionPtr& x) {
    return kept.count({x.get(), table}) > 0;
  });
}

Tensor Block::weights_of(std::size_t k) const {
  if (!weights.defined()) return {};
  return select(weights, 1, weights.shape()[1] == 1 ? 0 : std::int64_t(k));
}

}  // namespace pinn
