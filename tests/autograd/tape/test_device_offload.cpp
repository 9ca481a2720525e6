// Saved tensors of a GPU that wait in pinned memory of the host: the same bits, no waiting on the
// host, and none of the four races between two streams and three allocators.
#include "autograd/tape/hooks.h"
#include "autograd/tape/offload_places.h"
#include "autograd/tape/save_on.h"
#include "tests/autograd/tape/device_helpers.h"

using namespace pinn;
using namespace pinn::test;
using Order = SimulatedDriver::Order;
using Values = std::vector<double>;

namespace {

constexpr std::int64_t size = 5000;

SaveOnCpu save_on_cpu(std::size_t in_flight) {
  return SaveOnCpu(std::make_shared<PinnedPlace>(), {.threshold = 0, .in_flight = in_flight});
}

Tensor on_gpu(std::uint64_t stream, Device device = gpu0) {
  return normal({size}, stream).to(device).set_requires_grad();
}

/// tanh applied n times.
Tensor chain(Tensor y, int n) {
  for (int i = 0; i < n; ++i) y = tanh(y);
  return y;
}

/// A simulated GPU for every order of streams in turn: late, the wrong one first, and by chance.
template <class Body> void in_all_orders(const Body& body, int devices = 1) {
  for (const Order order : {Order::at_once, Order::needed_only, Order::others_first})
    body(Simulated({.devices = devices, .order = order}));
  for (unsigned seed = 1; seed <= 10; ++seed)
    body(Simulated({.devices = devices, .order = Order::shuffled, .seed = seed}));
}

/// Work on the compute stream that takes memory of this size and fills it with something else.
void overwrite_free_memory() {
  std::vector<Tensor> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(full({size}, 1e10, DType::float64, gpu0));
}

/// The same on the host, by way of pinned blocks.
void overwrite_free_pinned_memory() {
  for (int i = 0; i < 4; ++i) from_values(Values(size, 1e20), {size}, DType::float64, gpu0);
}

struct Disturbance {
  void (*in_forward)() = [] {};
  void (*in_backward)() = [] {};
};

/// A chain whose saved tensors travel has the gradient of one that keeps them, whatever else uses
/// the memory that is free after each step.
void must_survive(const Disturbance& disturbance) {
  const Tensor x = on_gpu(1);
  const Values kept = grad(sum(chain(x, 6)), x).values();
  for (const std::size_t in_flight : {std::size_t(0), std::size_t(2 * 8 * size)}) {
    const SaveOnCpu scope = save_on_cpu(in_flight);
    Tensor y = x;
    for (int i = 0; i < 6; ++i) {
      y = tanh(y);
      disturbance.in_forward();
      after_node(y.node(), [&](const auto& gradients, const auto&) {
        disturbance.in_backward();
        return gradients;
      });
    }
    y = sum(y);
    CHECK(grad({y}, {x}, {}, {.retain_graph = true})[0].values() == kept);
    CHECK(grad(y, x).values() == kept);  // also of what was read while it was still being written
  }
}

}  // namespace

TEMPLATE_TEST_CASE(
    "OFF-01 a chain saved in the host's memory has the same gradient, bit by bit, and "
    "leaves the GPU's free",
    "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Tensor x = on_gpu(1);
  const Values kept = grad(sum(chain(x, 20)), x).values();
  const auto live_after_forward = [&](const Tensor& y) {
    CHECK(y.defined());
    return memory_use(gpu0).live;
  };
  std::int64_t without = 0;
  {
    const NoGrad no_history;
    without = live_after_forward(chain(x, 20));
  }
  for (const std::size_t in_flight : {0, 100000, 1 << 24}) {
    const SaveOnCpu scope = save_on_cpu(in_flight);
    const Tensor y = chain(x, 20);
    if (in_flight == 0) CHECK(live_after_forward(y) <= without + 8 * size + 1024);
    CHECK(grad(sum(y), x).values() == kept);
    CHECK(scope.counts().copies == 19);  // but for the leaf
  }
}

TEST_CASE("OFF-02 saving and reading back make the host wait for nothing", "[autograd][tape]") {
  const Simulated machine;
  const Tensor x = on_gpu(1);
  const SaveOnCpu scope = save_on_cpu(100000);
  const Tensor y = sum(chain(x, 20));
  const Tensor g = grad(y, x);

  CHECK(scope.counts().reads > 10);
  CHECK(machine.driver->calls("synchronize") == 0);
  CHECK(machine.driver->waiting() > 40);  // kernels and copies, none of which had to run yet
  CHECK(g.values().size() == size);
}

TEST_CASE("OFF-09 what a backward pass needs next is on its way before it is asked for",
          "[autograd][tape]") {
  const Simulated machine;
  const Tensor x = on_gpu(1);
  const Values kept = grad(sum(chain(x, 20)), x).values();
  const SaveOnCpu scope = save_on_cpu(2 * 8 * size);
  const Tensor y = sum(chain(x, 20));

  CHECK(grad(y, x).values() == kept);
  CHECK(scope.counts().reads == 17);  // the last two had not left yet
  CHECK(scope.counts().waits <= 1);
}

TEST_CASE("what saves four times the memory of a GPU goes through it by way of the host",
          "[autograd][tape]") {
  const std::int64_t mebi = std::int64_t(1) << 20;
  const Simulated machine({.memory = std::size_t(20 * mebi), .order = Order::needed_only});
  const Tensor x = normal({mebi / 8}, 1), there = x.to(gpu0).set_requires_grad();
  CHECK_THROWS_AS(sum(chain(there, 80)), DeviceError);
  const SaveOnCpu scope = save_on_cpu(std::size_t(4 * mebi));
  const Tensor g = grad(sum(chain(there, 80)), there);

  CHECK(scope.counts().bytes_out == 79 * mebi);
  const Tensor here = x.clone().set_requires_grad();
  CHECK(distance(g, grad(sum(chain(here, 80)), here)) < 1e-14);
}

TEST_CASE("pinned memory is not written again before it was copied back", "[autograd][tape]") {
  in_all_orders(
      [](const Simulated&) { must_survive({.in_backward = overwrite_free_pinned_memory}); });
}

TEST_CASE("memory is not used again before it was copied out", "[autograd][tape]") {
  in_all_orders([](const Simulated&) { must_survive({.in_forward = overwrite_free_memory}); });
}

TEST_CASE("memory that was copied back is not used again before it was read", "[autograd][tape]") {
  in_all_orders([](const Simulated&) { must_survive({.in_backward = overwrite_free_memory}); });
}

TEST_CASE("tensors of several GPUs are saved and read back on streams of their own",
          "[autograd][tape]") {
  const auto body = [](const Simulated&) {
    const Tensor x = on_gpu(1), z = on_gpu(2, Device{1});
    const Values kept = grad(sum(chain(x, 4)), x).values(),
                 other = grad(sum(chain(z, 4)), z).values();
    const SaveOnCpu scope = save_on_cpu(0);
    Tensor y = x, w = z;
    for (int i = 0; i < 4; ++i) {
      y = tanh(y);
      w = tanh(w);
    }
    const Tensor of_w = grad(sum(w), z), of_y = grad(sum(y), x);
    CHECK(of_w.values() == other);
    CHECK(of_y.values() == kept);
  };
  in_all_orders(body, 2);
}

TEST_CASE("what was read ahead and passed over leaves its memory after it has arrived",
          "[autograd][tape]") {
  in_all_orders([](const Simulated&) {
    const Tensor x = on_gpu(1), w = on_gpu(2);
    const auto f = [&] {
      Tensor y = x;
      for (int i = 0; i < 6; ++i) y = sin(y) * w;
      return sum(y);
    };
    const Values kept = grad(f(), w).values(), of_x = grad(f(), x).values();
    const SaveOnCpu scope = save_on_cpu(3 * 8 * size);
    const Tensor y = f();
    const Tensor by_x = grad({y}, {x}, {}, {.retain_graph = true})[0];
    overwrite_free_memory();
    CHECK(grad(y, w).values() == kept);
    CHECK(by_x.values() == of_x);
  });
}
