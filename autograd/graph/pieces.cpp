#include "autograd/graph/pieces.h"

#include <algorithm>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"

namespace pinn {

std::optional<Pieces> pieces_of(const Graph& graph, int i, std::int64_t begin, std::int64_t end) {
  const Value& v = graph.values[i];
  Pieces pieces{v.axis, {}};
  if (v.op == Primitive::embed) {
    const int x = v.inputs[0];
    pieces.all.push_back({v.begin, graph.values[x].shape[v.axis], x});
    return pieces;
  }
  if (v.op != Primitive::concat) return {};
  const auto first = std::upper_bound(v.indices.begin(), v.indices.end(), begin);
  for (std::size_t n = std::size_t(first - v.indices.begin()); n < v.inputs.size(); ++n) {
    const std::int64_t from = n > 0 ? v.indices[n - 1] : 0;
    if (from >= end) break;
    ++pass_counts().pieces;
    if (!match::is_constant(graph, v.inputs[n], 0))
      pieces.all.push_back({from, v.indices[n] - from, v.inputs[n]});
  }
  return pieces;
}

int put_together(Graph& graph, const Pieces& pieces, Shape shape, DType dtype) {
  if (pieces.all.empty()) return build::constant(graph, 0, shape, dtype);
  if (pieces.all.size() == 1)
    return build::embedded(graph, pieces.all[0].value, shape, pieces.axis, pieces.all[0].begin);
  std::vector<int> parts;
  std::int64_t at = 0;
  const auto fill_to = [&](std::int64_t begin) {
    if (begin == at) return;
    Shape gap = shape;
    gap[pieces.axis] = begin - at;
    parts.push_back(build::constant(graph, 0, gap, dtype));
  };
  for (const Piece& p : pieces.all) {
    fill_to(p.begin);
    parts.push_back(p.value);
    at = p.end();
  }
  fill_to(shape[pieces.axis]);
  return build::concatenated(graph, parts, pieces.axis);
}

}  // namespace pinn
