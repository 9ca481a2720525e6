#include "autograd/graph/passes.h"

namespace pinn {

Graph with_fixed_first(Graph graph) {
  Graph out;
  out.values.reserve(graph.values.size());
  std::vector<int> now(graph.values.size(), -1);
  const auto append = [&](bool fixed) {
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      if ((graph.values[i].extent == Extent::fixed) != fixed) continue;
      Value v = std::move(graph.values[i]);  // its extent stays to be read
      for (int& from : v.inputs)
        if (from >= 0) from = now[from];
      now[i] = out.add(std::move(v));
    }
  };
  append(true);
  append(false);
  for (const int i : graph.outputs) out.outputs.push_back(now[i]);
  return out;
}

}  // namespace pinn
