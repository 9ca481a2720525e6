#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "autograd/graph/passes.h"
#include "tests/autograd/graph/random_graph.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr std::uint64_t samples = 400;

using Pass = std::function<Graph(const Graph&)>;

bool all_finite(const std::vector<Tensor>& all) {
  for (const Tensor& t : all)
    for (const double x : t.values())
      if (!std::isfinite(x)) return false;
  return true;
}

/// The largest number in some tensors, or 1.
double largest(const std::vector<Tensor>& all) {
  double most = 1;
  for (const Tensor& t : all)
    for (const double x : t.values()) most = larger(most, std::fabs(x));
  return most;
}

bool agree(const Tensor& a, const Tensor& b, double distance) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return false;
  const std::vector<double> x = a.values(), y = b.values();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i] - y[i]) <= distance)) return false;
  return true;
}

/// A random sample with every value as an output, so that none escapes the law.
Sample open_sample(std::uint64_t number) {
  Sample s = random_sample(number);
  s.graph.outputs.resize(s.graph.values.size());
  std::iota(s.graph.outputs.begin(), s.graph.outputs.end(), 0);
  return s;
}

/// Runs the pass over all samples; the number of samples that it changed.
int changed(const Pass& pass, Sample (*sample)(std::uint64_t) = open_sample) {
  int count = 0;
  for (std::uint64_t n = 0; n < samples; ++n) {
    const Sample s = sample(n);
    const Graph after = pass(s.graph);
    if (same(after, s.graph)) continue;
    ++count;
    const std::vector<Tensor> values = values_of(s.graph, s.inputs, s.points);
    const std::vector<Tensor> outputs = outputs_of(after, s.inputs, s.points);
    REQUIRE(outputs.size() == s.graph.outputs.size());
    const double distance = s.tolerance * largest(values);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (!agree(outputs[i], values[s.graph.outputs[i]], distance)) {
        INFO("sample " << n << ", output " << i << ", before\n"
                       << to_text(s.graph) << "after\n"
                       << to_text(after));
        CHECK(agree(outputs[i], values[s.graph.outputs[i]], distance));
      }
  }
  return count;
}

}  // namespace

TEST_CASE("the random graphs use every op and stay finite", "[autograd][graph]") {
  std::vector<int> used(std::size_t(Primitive::jet_mul_transposed) + 1, 0);
  for (std::uint64_t n = 0; n < samples; ++n) {
    const Sample s = random_sample(n);
    for (const Value& v : s.graph.values) ++used[std::size_t(v.op)];
    CHECK(all_finite(values_of(s.graph, s.inputs, s.points)));
  }
  for (std::size_t op = 0; op < used.size(); ++op) {
    INFO(name_of(Primitive(op)));
    CHECK(used[op] > 50);
  }
}

TEST_CASE("a pass leaves the outputs as they are", "[autograd][graph]") {
  CHECK(changed(without_dead_values, random_sample) > int(samples) / 2);
  CHECK(changed(without_duplicates) > int(samples) / 2);
  CHECK(changed(folded) > int(samples) / 2);
  CHECK(changed(with_fixed_first) > int(samples) / 2);
  CHECK(changed(with_chains_put_together, random_sample) > 5);
  CHECK(changed(with_stacked_products) > int(samples) / 2);
  CHECK(changed(optimized) == int(samples));
  CHECK(changed(optimized, random_sample) == int(samples));
}

TEST_CASE("every rule leaves the outputs as they are", "[autograd][graph]") {
  for (const auto rules : {arithmetic_rewrites(), shape_rewrites(), product_rewrites()})
    for (const Rewrite& rule : rules) {
      INFO(rule.name);
      CHECK(changed([&](const Graph& g) { return rewritten(g, {&rule, 1}); }) > 5);
    }
}

TEST_CASE("an optimized graph is optimized no further", "[autograd][graph]") {
  for (std::uint64_t n = 0; n < samples; ++n) {
    const Graph once = optimized(random_sample(n).graph);
    CHECK(same(optimized(once), once));
  }
}
