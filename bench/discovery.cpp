#include <algorithm>
#include <cmath>

#include "autograd/core/stats.h"
#include "autograd/tape/node.h"
#include "bench/clock.h"
#include "bench/tensors.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// Cost of a block of iterations of an inner loop.
struct Block {
  double total = 0, grad_alone = 0;  ///< seconds
  std::int64_t expanded = 0;         ///< nodes that the last pass of the block walked
  std::int64_t live = 0;             ///< nodes alive at its end
};

/// A learning loop whose every step is recorded: iterate() returns the seconds spent in grad().
template <class Loop> std::vector<Block> blocks(Loop loop, std::int64_t iterations, bool bound) {
  const Switched switched({.bound_discovery = bound});
  std::vector<Block> all;
  for (std::int64_t begin = 0; begin < iterations; begin += 100) {
    Block block;
    block.total = seconds([&] {
      for (std::int64_t t = begin; t < std::min(iterations, begin + 100); ++t)
        block.grad_alone += loop.iterate();
    });
    block.expanded = stats().discovery_expanded;
    block.live = live_nodes();
    all.push_back(block);
  }
  return all;
}

/// Fast weights: loss = sum (M x - y)^2, M <- M - rate dloss/dM, all of it differentiable.
struct FastWeights {
  Tensor start, m, x, y;
  bool with_start;  ///< also ask for the gradient by the first M, whose history is everything

  FastWeights(std::int64_t n, DType dtype, bool old_leaf)
      : start(normal({n, n}, "M", dtype) * (1 / std::sqrt(double(n)))),
        x(normal({n, 1}, "x", dtype)),
        y(normal({n, 1}, "y", dtype)),
        with_start(old_leaf) {
    start.set_requires_grad();
    m = start;
  }
  double iterate() {
    const Tensor loss = sum(square(matmul(m, x) - y));
    std::vector<Tensor> inputs{m}, g;
    if (with_start && m.node()) inputs.push_back(start);
    const double time = seconds([&] { g = grad({loss}, inputs, {}, {.create_graph = true}); });
    m = m - 1e-3 * g[0];
    return time;
  }
};

/// A linear classifier that learns to learn, by plain steps of 0.1.
struct LearnedStep {
  Tensor proj, bias, xs;

  explicit LearnedStep(DType dtype)
      : proj(normal({32, 3}, "proj", dtype)),
        bias(normal({3}, "bias", dtype)),
        xs(from_values(uniforms(300 * 32, "xs", 0, 1), {300, 32}, dtype)) {
    proj.set_requires_grad();
    bias.set_requires_grad();
  }
  static Tensor log_softmax(const Tensor& z) { return z - log(sum(exp(z), {1}, true)); }
  /// All labels are 1; the cross entropy takes the logarithm of the softmax once more.
  double iterate() {
    const Tensor logits = matmul(xs, proj) + bias;
    const Tensor loss = -mean(select(log_softmax(log_softmax(logits)), 1, 1));
    std::vector<Tensor> g;
    const double time = seconds([&] {
      g = grad({loss}, {proj, bias}, {}, {.create_graph = true});
    });
    proj = proj - 0.1 * g[0];
    bias = bias - 0.1 * g[1];
    return time;
  }
};

void print(const std::vector<Block>& all, const std::string& row, const Options& options,
           const Journal& journal) {
  std::vector<double> total, grad_alone;
  std::vector<std::int64_t> expanded, live;
  for (const Block& b : all) {
    total.push_back(1e3 * b.total);
    grad_alone.push_back(1e3 * b.grad_alone);
    expanded.push_back(b.expanded);
    live.push_back(b.live);
  }
  journal.print(Line()
                    .add("row", row)
                    .add("dtype", name_of(options.dtype))
                    .add("block_iterations", 100)
                    .add("block_ms", total)
                    .add("block_grad_ms", grad_alone)
                    .add("expanded", expanded)
                    .add("live_nodes", live));
}

double last_over_second(const std::vector<Block>& all) {
  return all.size() < 2 ? 1 : all.back().total / all[1].total;
}

/// Runs a loop with the bound on discovery and without; the former must expand as many nodes at the
/// end as after the first block.
template <class Make>
void both(Make make, std::int64_t iterations, const Options& options, Journal& journal) {
  for (const bool bound : {true, false}) {
    const std::vector<Block> all = blocks(make(), iterations, bound);
    print(all, bound ? "bounded" : "unbounded", options, journal);
    if (bound)
      journal.validate("nodes expanded at the end beyond those after the first block",
                       double(all.back().expanded - all.front().expanded), 0);
    journal.compare(fmt::format("{}: last block / second block", bound ? "bounded" : "unbounded"),
                    last_over_second(all), bound ? 1.25 : 4, !bound);
  }
}

}  // namespace

void fast_weights(const Options& options, Journal& journal) {
  both([&] { return FastWeights(options.width_or(64), options.dtype, false); },
       options.count_or(2000), options, journal);
}

void learned_step(const Options& options, Journal& journal) {
  both([&] { return LearnedStep(options.dtype); }, options.count_or(1000), options, journal);
}

void old_leaf(const Options& options, Journal& journal) {
  const std::vector<Block> all =
      blocks(FastWeights(options.width_or(64), options.dtype, true), options.count_or(2000), true);
  print(all, "bounded, old leaf", options, journal);
  if (all.size() > 1)
    journal.validate("does not grow, though the past must be walked",
                     all.back().expanded > all.front().expanded ? 0 : 1, 0);
}

}  // namespace pinn::bench
