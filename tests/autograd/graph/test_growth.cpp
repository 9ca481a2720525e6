// The work of the passes grows with the graph, and not with its square: it is counted.
#include "autograd/graph/passes.h"
#include "autograd/tape/functions.h"
#include "tests/autograd/graph/random_graph.h"
#include "tests/autograd/graph/write.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

using Maker = Graph (*)(int);

/// Count of what optimizing a graph of size n looks at.
std::int64_t work(Maker graph, int n) {
  pass_counts() = {};
  optimized(graph(n));
  return pass_counts().pieces + pass_counts().compared;
}

/// The gradient of a function of each column: zeros around each of n slopes, added up.
Graph sum_of_embeds(int n) {
  Graph g;
  const int x = input(g, "x", {P, n});
  int sum = -1;
  for (int i = 0; i < n; ++i) {
    const int one = embed(g, unary<op::Sin>(g, slice(g, x, 1, i, i + 1)), {P, n}, 1, i);
    sum = i == 0 ? one : add(g, sum, one);
  }
  g.outputs = {sum};
  return g;
}

/// n arrays put together one after another.
Graph chain_of_concats(int n) {
  Graph g;
  int x = input(g, "x", {P, 1}), all = x;
  for (int i = 0; i < n; ++i) {
    x = unary<op::Sin>(g, x);
    all = concat(g, {all, x}, 1);
  }
  g.outputs = {all};
  return g;
}

/// n arrays put together, and taken apart again.
Graph slices_of_concat(int n) {
  Graph g;
  const int x = input(g, "x", {P, 1});
  std::vector<int> parts;
  for (int i = 0; i < n; ++i) parts.push_back(unary<op::Sin>(g, add(g, x, constant(g, i))));
  const int all = concat(g, parts, 1);
  int sum = x;
  for (int i = 0; i < n; ++i) sum = add(g, sum, unary<op::Tanh>(g, slice(g, all, 1, i, i + 1)));
  g.outputs = {sum};
  return g;
}

/// n gathers that differ in their indices alone.
Graph gathers(int n) {
  Graph g;
  const int x = input(g, "x", {P, 64});
  int sum = -1;
  for (int i = 0; i < n; ++i) {
    const int one = gather(g, x, 1, {i % 64, i / 64 % 64, i / 4096 % 64});
    sum = i == 0 ? one : add(g, sum, unary<op::Sin>(g, one));
  }
  g.outputs = {sum};
  return g;
}

}  // namespace

TEST_CASE("twice the graph is twice the work of its passes", "[autograd][graph]") {
  const Maker graph = GENERATE(Maker(sum_of_embeds), Maker(chain_of_concats),
                               Maker(slices_of_concat), Maker(gathers));
  const std::int64_t half = work(graph, 2000), whole = work(graph, 4000);
  CHECK(whole <= 2.1 * double(half) + 100);
  CHECK(whole <= 100 * 4000);
}

TEST_CASE("a chain that is put together is what its links were", "[autograd][graph]") {
  Graph g = sum_of_embeds(5);
  CHECK(optimized(g).values.back().op == Primitive::concat);
  CHECK(optimized(g).values.back().inputs.size() == 5);
  g = chain_of_concats(5);
  CHECK(optimized(g).values.back().inputs.size() == 6);
  // A link that is used elsewhere stays, and so do windows that overlap.
  Graph h;
  const int x = input(h, "x", {P, 2}), y = input(h, "y", {P, 2});
  const int a = embed(h, x, {P, 4}, 1, 0), b = embed(h, y, {P, 4}, 1, 1);
  h.outputs = {add(h, add(h, a, b), embed(h, x, {P, 4}, 1, 2))};
  const Inputs in{{"x", from_values({1, 2, 3, 4, 5, 6}, {3, 2})},
                  {"y", from_values({0.5, 4, 7, 1, 3, 8}, {3, 2})}};
  const Tensor before = outputs_of(h, in, 3)[0], after = outputs_of(optimized(h), in, 3)[0];
  CHECK(before.values() == after.values());
}

TEST_CASE("terms of one window are added in the order that they had", "[autograd][graph]") {
  Graph g;
  std::vector<int> terms;
  for (const char* name : {"a", "b", "c", "d"})
    terms.push_back(embed(g, input(g, name, {P, 1}), {P, 3}, 1, 1));
  g.outputs = {add(g, add(g, terms[0], terms[1]), add(g, terms[2], terms[3]))};
  const auto column = [](double x) { return full({2, 1}, x); };
  // Both pairs lose their 1; one after another the last would stay.
  const Inputs in{{"a", column(1e16)}, {"b", column(1)}, {"c", column(-1e16)}, {"d", column(1)}};

  CHECK(select(outputs_of(optimized(g), in, 2)[0], 1, 1).values() == std::vector<double>{0, 0});
}
