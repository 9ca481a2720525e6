#include <pthread.h>

#include "autograd/core/storage.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr int depth = 1000000;

/// Runs f in a thread whose stack has 256 KiB: one frame per node would need a hundred times that.
void with_small_stack(std::function<void()> f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, 256 << 10) == 0);
  pthread_t thread;
  const auto call = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, call, &f) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("ENG-49 a chain of a million nodes is destroyed in a small stack", "[autograd][tape]") {
  const std::int64_t nodes = live_nodes();
  with_small_stack([] {
    Tensor y = ones({}).set_requires_grad();
    for (int i = 0; i < depth / 2; ++i) y = y + y * 1e-6;
  });
  CHECK(live_nodes() == nodes);
}

TEST_CASE("ENG-50 gradients reach the far end of a chain of a million nodes", "[autograd][tape]") {
  double by_grad = 0, by_backward = 0;
  with_small_stack([&] {
    const Tensor x = ones({}).set_requires_grad(), factor = full({}, 1 + 1e-6);
    Tensor y = x;
    for (int i = 0; i < depth; ++i) y = y * factor;
    by_grad = grad(y, x, {.retain_graph = true}).item();
    backward(y);
    by_backward = x.grad().item();
  });
  CHECK(by_grad == Approx(std::pow(1 + 1e-6, depth)).epsilon(1e-9));
  CHECK(by_backward == by_grad);
}

TEST_CASE("ENG-49 a deep chain through saved tensors is destroyed without recursion",
          "[autograd][tape]") {
  const std::int64_t nodes = live_nodes();
  with_small_stack([] {
    const Tensor x = ones({}).set_requires_grad();
    Tensor y = x;
    for (int i = 0; i < depth / 5; ++i) y = x * tanh(y);
  });
  CHECK(live_nodes() == nodes);
}

TEST_CASE("ENG-53 graphs upon graphs upon graphs are released to the last node",
          "[autograd][tape]") {
  const std::int64_t nodes = live_nodes(), tensors = live_tensors();
  with_small_stack([] {
    const Tensor x = full({}, 0.5).set_requires_grad();
    Tensor y = sin(x);
    std::vector<Tensor> kept;
    for (int i = 0; i < 300; ++i) {
      kept.push_back(y);
      const Tensor slope = grad(y, x, {.create_graph = true});
      y = sin(x * slope);
      if (i % 5 == 4) y = sin(y.detach() * x);  // orders higher than six take too long
    }
  });
  CHECK(live_nodes() == nodes);
  CHECK(live_tensors() == tensors);
}

TEST_CASE("ENG-49 a gradient with history is released with its tensor", "[autograd][tape]") {
  const std::int64_t nodes = live_nodes();
  {
    const Tensor x = ones({2}).set_requires_grad();
    backward({exp(x)}, {ones({2})}, {.create_graph = true});
    CHECK(live_nodes() > nodes);
    Tensor(x).set_grad({});  // breaks the cycle x -> grad -> history -> x
  }
  CHECK(live_nodes() == nodes);
}

TEST_CASE("ENG-49 a million leaves, each the gradient of another, are released in a small stack",
          "[autograd][tape]") {
  const std::int64_t tensors = live_tensors(), nodes = live_nodes();
  with_small_stack([] {
    Tensor last = ones({}).set_requires_grad();
    for (int i = 0; i < depth; ++i) {
      Tensor next = ones({}).set_requires_grad();
      next.set_grad(i > depth / 2 && i % 3 == 0 ? last * last : last);
      last = next;
    }
  });
  CHECK(live_tensors() == tensors);
  CHECK(live_nodes() == nodes);
}

TEST_CASE("ENG-54 training steps of second order leak nothing", "[autograd][tape]") {
  const Tensor w = variable({2, 8}, 1), b = variable({8}, 2), v = variable({8, 1}, 3);
  const Tensor x = variable({16, 2}, 4);
  const auto step = [&] {
    const Tensor u = matmul(tanh(matmul(x, w) + b), v);
    const Tensor first = grad(sum(u), x, {.create_graph = true});
    const Tensor second = grad(sum(select(first, 1, 0)), x, {.create_graph = true});
    for (Tensor p : {w, b, v}) p.set_grad({});
    backward(mean(square(select(second, 1, 0) - select(u, 1, 0))));
    const NoGrad off;
    for (Tensor p : {w, b, v}) add_in_place(p, -0.01 * p.grad());
  };
  const auto state = [] {
    return std::vector<std::int64_t>{live_nodes(), live_tensors(), memory_use(Device::cpu).live};
  };
  for (int i = 0; i < 10; ++i) step();
  const auto at_ten = state();
  for (int i = 10; i < 2000; ++i) step();

  CHECK(state() == at_ten);
}

TEST_CASE("ENG-55 a node that saved its own output does not own itself", "[autograd][tape]") {
  const std::int64_t nodes = live_nodes();
  {
    const Tensor x = variable({3}, 1);
    const Tensor y = exp(x), z = recip(y);
  }
  CHECK(live_nodes() == nodes);
}
