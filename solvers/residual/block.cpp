#include "solvers/residual/block.h"

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

bool Block::may_keep(const Expression& e, const JetTable* table) const {
  using Kind = Expression::Kind;
  for (const Kind kind : {Kind::field, Kind::unknown, Kind::raw_output, Kind::derivative})
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
