#include <atomic>
#include <latch>
#include <thread>

#include "autograd/core/error.h"
#include "autograd/tape/save_on.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Formulas of this thread that run a pass now.
constinit thread_local int backward_depth = 0;

}  // namespace

TEST_CASE("ENG-43 no contribution of eight threads to one leaf is lost",
          "[autograd][tape][threads]") {
  const Tensor leaf = ones({3}).set_requires_grad();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([leaf] {
        for (int i = 0; i < 1000; ++i) backward(sum(leaf.clone()));
      });
  }
  CHECK(leaf.grad().values() == std::vector<double>{8000, 8000, 8000});
}

TEST_CASE("ENG-43 backward to named inputs may run in several threads as well",
          "[autograd][tape][threads]") {
  const Tensor leaf = ones({3}).set_requires_grad();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([leaf] {
        for (int i = 0; i < 200; ++i)
          backward({leaf.clone()}, {ones({3})}, {}, std::vector<Tensor>{leaf});
      });
  }
  CHECK(leaf.grad().values() == std::vector<double>{800, 800, 800});
}

TEST_CASE("ENG-43 no contribution to one leaf is lost where threads record their passes",
          "[autograd][tape][threads]") {
  constexpr int passes = 500, size = 30000;  // long sums meet more often
  Tensor leaf = ones({size}).set_requires_grad();
  {
    std::latch together(4);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([leaf, &together] {
        together.arrive_and_wait();
        for (int i = 0; i < passes; ++i)
          backward({leaf.clone()}, {ones({size})}, {.create_graph = true},
                   std::vector<Tensor>{leaf});
      });
  }
  CHECK(leaf.grad().values() == std::vector<double>(size, 4 * passes));
  leaf.set_grad({});
}

TEST_CASE("ENG-45 of two threads on one graph that is not retained at least one succeeds",
          "[autograd][tape][threads]") {
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Tensor x = variable({3}, 1);
    Tensor y = x;
    for (int i = 0; i < 10; ++i) y = tanh(y);
    const Tensor loss = sum(y);
    std::atomic<int> succeeded = 0, refused = 0, other = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
          try {
            backward(loss);
            ++succeeded;
          } catch (const EngineError& e) {
            ++(std::string(e.what()).find("second time") != std::string::npos ? refused : other);
          }
        });
    }
    // Node by node only one thread comes first, but not the same one for every node.
    REQUIRE(other == 0);
    REQUIRE(succeeded + refused == 2);
    REQUIRE(succeeded <= 1);
  }
}

TEST_CASE("a retained graph serves threads with different targets", "[autograd][tape][threads]") {
  const Tensor x = variable({8, 3}, 1), w = variable({3, 3}, 2);
  const Tensor y = sum(tanh(matmul(tanh(matmul(x, w)), w)));
  const GradOptions keep{.retain_graph = true};
  const std::vector<double> by_x = grad({y}, {x}, {}, keep)[0].values(),
                            by_w = grad({y}, {w}, {}, keep)[0].values();
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 100; ++i) {
          const bool odd = t % 2 == 1;
          wrong += grad({y}, {odd ? w : x}, {}, keep)[0].values() != (odd ? by_w : by_x);
        }
      });
  }
  CHECK(wrong == 0);
}

TEST_CASE("two threads whose formulas run passes over each other's nodes both end",
          "[autograd][tape][threads]") {
  const Tensor x = variable({3}, 1);
  std::latch both_run(2);
  Tensor nodes[2];
  for (int i = 0; i < 2; ++i)
    nodes[i] = custom(x, "visits the other", [&, i](TestNode&, const Gradients& g) -> Gradients {
      if (backward_depth > 0) return {2 * g[0]};
      ++backward_depth;
      both_run.arrive_and_wait();
      const GradOptions keep{.retain_graph = true};
      const Tensor there = grad({nodes[1 - i]}, {x}, {g[0]}, keep)[0];
      --backward_depth;
      return {there};
    });
  std::vector<double> found[2];
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&, i] { found[i] = grad({nodes[i]}, {x}, {ones({3})})[0].values(); });
  }
  CHECK(found[0] == std::vector<double>{2, 2, 2});
  CHECK(found[1] == found[0]);
}

TEST_CASE("a formula may change in place what its own node is behind",
          "[autograd][tape][threads]") {
  const Tensor x = variable({3}, 1);
  Tensor y;
  y = custom(x, "changes", [&](TestNode&, const Gradients& g) -> Gradients {
    Tensor t = y * 1.0;
    square(t);           // it is saved, so the change looks for who must let go of it
    mul_in_place(t, x);  // and comes by this node
    return {g[0] * t};
  });
  const Tensor g = grad({y}, {x}, {ones({3})}, {.create_graph = true})[0];
  CHECK(distance(g, square(x)) == 0);
}

TEST_CASE("two threads may compute a checkpoint again that takes gradients itself",
          "[autograd][tape][threads]") {
  const Tensor x = variable({3}, 1);
  const Tensor y = checkpoint(
      [](const std::vector<Tensor>& in) {
        const Tensor h = sin(in[0]);
        return sum(h * grad({h}, {in[0]}, {ones({3})}, {.create_graph = true})[0]);
      },
      {x});
  const GradOptions keep{.retain_graph = true};
  const std::vector<double> alone = grad({y}, {x}, {}, keep)[0].values();
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) wrong += grad({y}, {x}, {}, keep)[0].values() != alone;
      });
  }
  CHECK(wrong == 0);
}

TEST_CASE("modes and switches of one thread do not reach another", "[autograd][tape][threads]") {
  const NoGrad off;
  const Switches switched({.prune = false, .bound_discovery = false});
  bool recorded = false, pruned = false;

  std::jthread([&] {
    recorded = recording();
    pruned = engine_switches().prune;
  }).join();

  CHECK(recorded);
  CHECK(pruned);
}
