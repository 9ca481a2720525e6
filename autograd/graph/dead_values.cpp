#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"

namespace pinn {

Graph without_dead_values(Graph graph) {
  std::vector<bool> alive(graph.values.size(), false);
  for (const int i : graph.outputs) alive[i] = true;
  for (std::size_t i = graph.values.size(); i-- > 0;)
    if (alive[i])
      for (const int from : graph.values[i].inputs)
        if (from >= 0) alive[from] = true;
  std::size_t at = 0;
  return build::mapped(std::move(graph), [&](Graph& out, Value v) {
    return alive[at++] ? out.add(std::move(v)) : -1;
  });
}

}  // namespace pinn
