#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"

namespace pinn {
namespace {

Graph one_round(const Graph& graph) {
  Graph simple = with_chains_put_together(folded(graph));
  for (const auto rules : {arithmetic_rewrites(), shape_rewrites(), product_rewrites()})
    simple = rewritten(std::move(simple), rules);
  return with_fixed_first(without_dead_values(without_duplicates(std::move(simple))));
}

/// Every rule leaves fewer or simpler values, so this ends.
Graph settled(Graph graph) {
  for (;;) {
    Graph next = one_round(graph);
    if (same(next, graph)) return next;
    graph = std::move(next);
  }
}

}  // namespace

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

Graph rewritten(Graph graph, std::span<const Rewrite> rules) {
  return build::mapped(std::move(graph), [&](Graph& out, Value v) {
    for (const Rewrite& rule : rules)
      if (const std::optional<int> simpler = rule.apply(out, v)) return *simpler;
    return out.add(std::move(v));
  });
}

PassCounts& pass_counts() {
  static thread_local PassCounts counts;
  return counts;
}

Graph optimized(const Graph& graph) { return settled(with_stacked_products(settled(graph))); }

}  // namespace pinn
