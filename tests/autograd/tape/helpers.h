#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/core/random.h"
#include "autograd/core/stats.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"
#include "tests/catch.h"
#include "tests/larger.h"

namespace pinn::test {

/// Normal deviates, the same on every run.
inline Tensor normal(const Shape& shape, std::uint64_t stream, DType dtype = DType::float64) {
  return randn(shape, {.seed = 11, .stream = stream}, dtype);
}

/// Normal deviates that require a gradient.
inline Tensor variable(const Shape& shape, std::uint64_t stream, DType dtype = DType::float64) {
  return normal(shape, stream, dtype).set_requires_grad();
}

/// The largest |a - b|.
inline double distance(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.values(), y = b.values();
  REQUIRE(x.size() == y.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = larger(worst, std::fabs(x[i] - y[i]));
  return worst;
}

inline double largest(const Tensor& a) { return distance(a, zeros(a.shape(), a.dtype())); }

/// |a - b| relative to |b|, in the largest norm.
inline double relative_distance(const Tensor& a, const Tensor& b) {
  return distance(a, b) / largest(b);
}

/// Starts the counters of this thread anew; their lists fill while it lives.
struct Counting {
  Counting() { restart(); }
  ~Counting() { stats() = {}; }
  void restart() {
    stats() = {};
    stats().recording = true;
  }
  /// Products of sizes a, b, b in any order: those of a square layer of width b on a points.
  std::int64_t square_products(std::int64_t a, std::int64_t b) const {
    std::int64_t n = 0;
    for (const ProductSize& p : stats().product_log)
      n += p.m * p.n * p.k == a * b * b && p.m + p.n + p.k == a + b + b;
    return n;
  }
  std::int64_t runs(const std::string& node, int input) const {
    const auto at = stats().formula_runs.find({node, input});
    return at == stats().formula_runs.end() ? 0 : at->second;
  }
  std::int64_t nodes(const std::string& name) const {
    return std::count(stats().order.begin(), stats().order.end(), name);
  }
};

/// Sets the engine's switches in a scope.
struct Switches {
  explicit Switches(EngineSwitches now) : before(std::exchange(engine_switches(), now)) {}
  ~Switches() { engine_switches() = before; }
  EngineSwitches before;
};

/// A node whose derivative formula the test writes.
class TestNode : public Node {
 public:
  using Formula = std::function<Gradients(TestNode&, const Gradients&)>;
  TestNode(const char* name, Formula formula) : name_(name), formula_(std::move(formula)) {}
  const char* name() const override { return name_; }
  Gradients apply(const Gradients& grads) override { return formula_(*this, grads); }

 private:
  const char* name_;
  Formula formula_;
};

/// `outputs` as results of one op on `inputs` with that formula.
inline NodePtr record(std::vector<Tensor> outputs, const std::vector<Tensor>& inputs,
                      const char* name, TestNode::Formula formula) {
  auto node = make_node<TestNode>(name, std::move(formula));
  Edges edges;
  for (const Tensor& x : inputs) edges.push_back(edge_of(x));
  node->set_edges(std::move(edges));
  for (Tensor& y : outputs) set_history(y, node);
  return node;
}

/// A new tensor with the elements of x, and a gradient of its own making.
inline Tensor custom(const Tensor& x, const char* name, TestNode::Formula formula) {
  const Tensor y = x.detach().clone();
  record({y}, {x}, name, std::move(formula));
  return y;
}

}  // namespace pinn::test
