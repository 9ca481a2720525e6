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
