#include <map>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"
#include "autograd/graph/rules.h"

namespace pinn {
namespace {

/// Products of one row with different weights, as positions in a graph that has its fixed values
/// first; what stands before a product's own columns; and the one product, once it is made.
struct Stack {
  std::vector<int> products;
  std::vector<std::int64_t> begins;
  std::int64_t size = 0;
  int whole = -1;
};

/// By op and row.
std::map<std::pair<Primitive, int>, Stack> stacks(const Graph& graph) {
  std::map<std::pair<Primitive, int>, Stack> found;
  for (int i = 0; i < int(graph.values.size()); ++i) {
    const Value& v = graph.values[i];
    if (v.op != Primitive::matmul && v.op != Primitive::linear) continue;
    if (v.extent != Extent::row) continue;
    Stack& stack = found[{v.op, v.inputs[0]}];
    stack.products.push_back(i);
    stack.begins.push_back(stack.size);
    stack.size += last(v.shape);
  }
  return found;
}

/// [x w1, x w2 ...] from the first of these products: the weights, and biases, stand one after
/// another. They are fixed, and so have the same positions in `out` as in `graph`.
int product_of_all(Graph& out, const Graph& graph, const Value& first, const Stack& stack) {
  std::vector<int> inputs{first.inputs[0]};
  for (std::size_t n = 1; n < first.inputs.size(); ++n) {
    std::vector<int> parts;
    for (const int i : stack.products) parts.push_back(graph.values[i].inputs[n]);
    inputs.push_back(build::concatenated(out, parts, out.values[parts[0]].shape.rank() - 1));
  }
  return build::redone(out, first, std::move(inputs));
}

}  // namespace

Graph with_stacked_products(const Graph& unordered) {
  const Graph graph = with_fixed_first(unordered);
  auto found = stacks(graph);
  std::map<int, std::pair<Stack*, std::int64_t>> places;
  for (auto& [key, stack] : found)
    if (stack.products.size() > 1)
      for (std::size_t n = 0; n < stack.products.size(); ++n)
        places[stack.products[n]] = {&stack, stack.begins[n]};
  int position = 0;
  return build::mapped(graph, [&](Graph& out, Value v) {
    const auto place = places.find(position++);
    if (place == places.end()) return out.add(std::move(v));
    auto& [stack, begin] = place->second;
    if (stack->whole < 0) stack->whole = product_of_all(out, graph, v, *stack);
    return build::sliced(out, stack->whole, v.shape.rank() - 1, begin, last(v.shape));
  });
}

}  // namespace pinn
