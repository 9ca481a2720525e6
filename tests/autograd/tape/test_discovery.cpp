#include <map>
#include <random>

#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A random graph of at most 60 tensors: leaves, some of which require no gradient, and functions
/// of one to three earlier tensors, the same one perhaps twice.
std::vector<Tensor> random_graph(std::mt19937& generator) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(generator);
  };
  std::vector<Tensor> tensors;
  const std::size_t leaves = 2 + below(6), count = leaves + 5 + below(48);
  for (std::size_t i = 0; i < leaves; ++i)
    tensors.push_back(i == 0 || below(4) ? variable({2}, i) : normal({2}, i));
  while (tensors.size() < count) {
    const auto any = [&] { return tensors[below(tensors.size())]; };
    const std::size_t kind = below(5);
    tensors.push_back(kind == 0   ? tanh(any())
                      : kind == 1 ? 0.5 * any()
                      : kind == 2 ? tanh(any() * any())
                      : kind == 3 ? 0.4 * any() + 0.3 * any() - any() * 0.2
                                  : where(less(any(), any()), any(), any()));
  }
  return tensors;
}

/// The longest path to a node without edges, by exhaustion.
std::int64_t longest_path(const Node* node, std::map<const Node*, std::int64_t>& known) {
  const auto at = known.find(node);
  if (at != known.end()) return at->second;
  std::int64_t length = 0;
  for (const Edge& e : node->edges())
    if (e.node) length = std::max(length, 1 + longest_path(e.node.get(), known));
  return known[node] = length;
}

std::vector<Tensor> chosen(const std::vector<Tensor>& from, std::size_t count,
                           std::mt19937& generator) {
  std::vector<Tensor> some;
  while (some.size() < count) {
    const Tensor& t = from[generator() % from.size()];
    if (t.requires_grad()) some.push_back(t);
  }
  return some;
}

struct Pass {
  std::vector<std::vector<double>> results;
  std::vector<std::string> order;
  std::int64_t expanded;
};

Pass pass(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
          EngineSwitches with) {
  const Switches switches(with);
  const Counting count;
  Pass p;
  std::vector<Tensor> seeds;
  for (const Tensor& y : outputs) seeds.push_back(normal(y.shape(), 77));
  for (const Tensor& g : grad(outputs, inputs, seeds, {.retain_graph = true, .materialize = true}))
    p.results.push_back(g.values());
  p.order = stats().order;
  p.expanded = stats().discovery_expanded;
  return p;
}

/// Nodes expanded by each step of an inner loop that learns its parameters, differentiably.
template <class Step> std::vector<std::int64_t> expanded_per_step(bool bound, Step step) {
  const Switches switches({.bound_discovery = bound});
  std::vector<std::int64_t> expanded;
  for (int t = 0; t < 200; ++t) {
    step();
    expanded.push_back(stats().discovery_expanded);
  }
  return expanded;
}

/// Constant from the second step on if bounded, else growing by the same number with every step.
void check_growth(const std::vector<std::int64_t>& expanded, bool bound) {
  const std::int64_t growth = expanded[2] - expanded[1];
  CHECK((growth == 0) == bound);
  for (std::size_t t = 2; t < expanded.size(); ++t)
    REQUIRE(expanded[t] - expanded[t - 1] == growth);
}

}  // namespace

TEST_CASE("TOP-01 a topological number is the longest path to a node without edges",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1), once = exp(x), twice = exp(once);

  CHECK(edge_of(x).node->topological_number() == 0);
  CHECK(once.node()->topological_number() == 1);
  CHECK(twice.node()->topological_number() == 2);
  CHECK((x * twice).node()->topological_number() == 3);
  CHECK((normal({2}, 2) * x).node()->topological_number() == 1);
}

TEST_CASE("TOP-02 a node that another relies on takes no edge that would raise its number",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), a = exp(x);
  auto node = make_node<TestNode>("late", [](auto&, const Gradients& g) { return g; });
  node->set_edges({edge_of(x)});
  node->set_edges({edge_of(a)});  // nobody has read it yet
  Tensor y = ones({2});
  set_history(y, node);
  const Tensor z = exp(y);

  node->set_edges({edge_of(x)});  // not higher: nothing breaks
  CHECK_THROWS_AS(node->set_edges({edge_of(exp(a))}), InternalError);
  CHECK_THROWS_WITH(node->set_edges({edge_of(exp(a))}),
                    Catch::Contains("'late'") && Catch::Contains("topological number"));
}

TEST_CASE("TOP-03 discovery does not walk into the past of fast weights", "[autograd][tape]") {
  const bool bound = GENERATE(true, false);
  const Tensor x = normal({4, 1}, 1), y = normal({4, 1}, 2);
  Tensor m = 0.5 * normal({4, 4}, 3);
  m.set_requires_grad();

  check_growth(expanded_per_step(bound,
                                 [&] {
                                   const Tensor loss = sum(square(matmul(m, x) - y));
                                   const Tensor g = grad(loss, m, {.create_graph = true});
                                   m = m - 1e-3 * g;
                                 }),
               bound);
}

TEST_CASE("TOP-04 discovery stays flat for a linear model that learns to learn",
          "[autograd][tape]") {
  const bool bound = GENERATE(true, false);
  const Tensor x = normal({6, 3}, 1), y = normal({6, 2}, 2);
  Tensor w = variable({3, 2}, 3), b = variable({2}, 4);

  check_growth(expanded_per_step(bound,
                                 [&] {
                                   const Tensor loss = mean(square(matmul(x, w) + b - y));
                                   const auto g = grad({loss}, {w, b}, {}, {.create_graph = true});
                                   w = w - 0.1 * g[0];
                                   b = b - 0.1 * g[1];
                                 }),
               bound);
}

TEST_CASE("TOP-06 an old leaf among the targets needs the full walk and gets it right",
          "[autograd][tape]") {
  const Tensor start = variable({3}, 1);
  Tensor m = start;
  for (int t = 0; t < 20; ++t) m = m - 0.1 * grad(sum(exp(m)), m, {.create_graph = true});
  const Tensor loss = sum(exp(m));

  const Pass bounded = pass({loss}, {m, start}, {}),
             whole = pass({loss}, {m, start}, {.bound_discovery = false});

  CHECK(bounded.results == whole.results);
  CHECK(bounded.order == whole.order);
  CHECK(bounded.expanded > 60);
}

TEST_CASE("TOP-09 backward to a tensor at the bound of discovery delivers", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), h = exp(x), y = h * sin(h) + h;

  backward({y}, {ones({3})}, {}, std::vector<Tensor>{h});

  const Tensor v = h.detach();
  CHECK(relative_distance(h.grad(), sin(v) + v * cos(v) + 1.0) < 1e-15);
}

TEST_CASE("TOP-11 on random graphs the bound changes neither results nor the nodes that run",
          "[autograd][tape]") {
  std::mt19937 generator(20);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<Tensor> graph = random_graph(generator);
    const std::vector<Tensor> outputs = chosen(graph, 1 + generator() % 3, generator),
                              inputs = chosen(graph, 1 + generator() % 4, generator);
    std::map<const Node*, std::int64_t> known;
    for (const Tensor& t : graph)
      if (t.node()) REQUIRE(t.node()->topological_number() == longest_path(t.node().get(), known));

    const Pass bounded = pass(outputs, inputs, {}),
               whole = pass(outputs, inputs, {.bound_discovery = false}),
               unpruned = pass(outputs, inputs, {.prune = false});

    REQUIRE(bounded.results == whole.results);
    REQUIRE(bounded.order == whole.order);
    REQUIRE(bounded.expanded <= whole.expanded);
    REQUIRE(unpruned.results == bounded.results);
    REQUIRE(unpruned.order == bounded.order);
  }
}

TEST_CASE("several targets in one pass get what each gets alone", "[autograd][tape]") {
  std::mt19937 generator(21);
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<Tensor> graph = random_graph(generator);
    const std::vector<Tensor> outputs = chosen(graph, 2, generator),
                              inputs = chosen(graph, 3, generator);
    const Pass together = pass(outputs, inputs, {});
    for (std::size_t i = 0; i < inputs.size(); ++i)
      REQUIRE(pass(outputs, {inputs[i]}, {}).results[0] == together.results[i]);
  }
}
