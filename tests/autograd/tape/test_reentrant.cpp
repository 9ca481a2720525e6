#include "autograd/core/error.h"
#include "autograd/tape/hooks.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// x, through a node whose formula runs a pass through `depth` more such nodes, each in the other.
Tensor nested(const Tensor& x, int depth, std::vector<std::string>& log) {
  return custom(x, "nested", [depth, &log](TestNode&, const Gradients& g) {
    if (depth > 0) {
      const EnableGrad on;
      const Tensor inner = ones({1}).set_requires_grad();
      backward(nested(inner, depth - 1, log));
      CHECK(inner.grad().values() == std::vector<double>{1});
    }
    log.push_back("level " + std::to_string(depth));
    return g;
  });
}

}  // namespace

TEST_CASE("ENG-40 passes in passes end before what waits outside", "[autograd][tape]") {
  std::vector<std::string> log;
  const Tensor x = variable({1}, 1);
  const Tensor sibling = custom(x, "sibling", [&](TestNode&, const Gradients& g) {
    log.push_back("sibling");
    return g;
  });
  backward(sibling + nested(x, 10, log));

  REQUIRE(log.size() == 12);
  for (int i = 0; i <= 10; ++i) CHECK(log[std::size_t(i)] == "level " + std::to_string(i));
  CHECK(log.back() == "sibling");
  CHECK(x.grad().values() == std::vector<double>{2});
}

TEST_CASE("ENG-41 many passes may run in each other, and one more is an error",
          "[autograd][tape][errors]") {
  std::vector<std::string> log;
  const Tensor x = variable({1}, 1);
  backward(nested(x, most_nested_passes - 1, log));
  CHECK(log.size() == std::size_t(most_nested_passes));
  CHECK_THROWS_WITH(backward(nested(x, 8193, log)), Contains("re-entrant depth limit"));
  backward(x * 1.0);
  CHECK(recording());
}

TEST_CASE("a formula may run a pass through the node it belongs to", "[autograd][tape]") {
  const Tensor x = variable({1}, 1);
  int depth = 0;
  Tensor y;
  y = custom(x, "self", [&](TestNode&, const Gradients& g) {
    if (++depth < 3) {
      const Tensor again = y;
      return Gradients{grad({again}, {x}, {g[0] * 2}, {.retain_graph = true})[0]};
    }
    return g;
  });
  CHECK(grad({y}, {x}, {ones({1})}, {.retain_graph = true})[0].values() == std::vector<double>{4});
  y = Tensor();
}

TEST_CASE("a hook after accumulation may run another pass to the same leaf", "[autograd][tape]") {
  const Tensor x = variable({1}, 1);
  bool once = false;
  const HookHandle handle = after_accumulation(x, [&](const Tensor& leaf) {
    const EnableGrad on;
    if (!std::exchange(once, true)) backward({leaf * 10.0}, {ones({1})});
  });
  backward({x * 1.0}, {ones({1})});
  CHECK(x.grad().values() == std::vector<double>{11});
}

TEST_CASE("ENG-56 a recorded backward warns once, and clearing the gradient frees all",
          "[autograd][tape]") {
  std::vector<std::string> warnings;
  const WarningSink sink([&](const std::string& text) { warnings.push_back(text); });
  const std::int64_t nodes = live_nodes(), tensors = live_tensors();
  {
    Tensor x = variable({2}, 1);
    for (int i = 0; i < 2; ++i) backward(sum(x * x), {.create_graph = true});
    x.set_grad({});
  }
  CHECK(live_nodes() == nodes);
  CHECK(live_tensors() == tensors);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Contains("create_graph") && Contains("set_grad({})"));
}

TEST_CASE("hooks and labels of a node take no part in a cycle that the library makes",
          "[autograd][tape]") {
  const std::int64_t nodes = live_nodes();
  {
    const Tensor x = variable({2}, 1), y = exp(x);
    retain_grad(y);
    on_all_gradients({x, y}, [](const std::vector<Tensor>&) {});
    backward({y}, {ones({2})});
  }
  CHECK(live_nodes() == nodes);
}
