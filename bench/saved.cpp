#include "autograd/core/storage.h"
#include "bench/clock.h"
#include "bench/hessian_net.h"
#include "bench/resident.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// A way to keep what a forward pass saves for the backward pass.
struct Keeping {
  std::string name;
  bool exact;                                               ///< gradients are the same, bit for bit
  std::function<void(const std::function<void()>&)> scope;  ///< runs an act under it
};

std::vector<Keeping> keepings() {
  return {{"none", true, [](const std::function<void()>& act) { act(); }}};
}

/// x -> tanh thirty times, and the gradient of the sum.
struct TanhChain {
  Tensor x;
  Tensor gradient;
  TanhChain(std::int64_t elements, DType dtype) : x(normal({elements}, "x", dtype)) {
    x.set_requires_grad();
  }
  void run() {
    Tensor h = x;
    for (int i = 0; i < 30; ++i) h = tanh(h);
    gradient = grad(sum(h), x);
  }
};

struct Memory {
  std::int64_t storage = 0, resident = 0;  ///< bytes at most, beyond those before
};

/// The memory that an act takes at most, in storages and as anonymous resident pages.
Memory memory_of(const std::function<void()>& act) {
  const std::int64_t storage = memory_use(Device::cpu).live, resident = status_bytes("RssAnon");
  reset_peak(Device::cpu);
  AnonymousPeak peak;
  act();
  return {memory_use(Device::cpu).peak - storage, peak.bytes() - resident};
}

}  // namespace

void saved_chain(const Options& options, Journal& journal) {
  TanhChain chain(options.points_or(10000000), options.dtype);
  std::vector<double> exact;
  for (const Keeping& keeping : keepings()) {
    if (!options.wants(keeping.name)) continue;
    const std::function<void()> act = [&] { keeping.scope([&] { chain.run(); }); };
    chain.gradient = {};
    const Memory memory = memory_of(act);
    if (exact.empty()) exact = chain.gradient.values();
    const double difference = distance(chain.gradient.values(), exact) / largest(exact);
    if (keeping.exact) journal.validate(keeping.name + ": gradient against none", difference, 0);
    std::vector<double> times;
    for (int i = 0; i < options.samples; ++i) times.push_back(seconds(act));
    journal.print(Line()
                      .add("row", keeping.name)
                      .add("dtype", name_of(options.dtype))
                      .add("elements", chain.x.numel())
                      .add("tensor_bytes", chain.x.numel() * std::int64_t(size_of(options.dtype)))
                      .add("peak_bytes", memory.storage)
                      .add("peak_anonymous_bytes", memory.resident)
                      .add("gradient_difference", difference)
                      .add("median_ms", 1e3 * median(times))
                      .add("least_ms", 1e3 * least(times))
                      .add("samples", times.size()));
  }
}

void saved_hessian(const Options& options, Journal& journal) {
  const HessianNet net("tanh", options.points_or(2000), options.width_or(512), options.dtype);
  std::vector<double> hessian, gradient;
  for (const Keeping& keeping : keepings()) {
    if (!options.wants(keeping.name)) continue;
    Tensor h;
    const std::function<void()> act = [&] {
      keeping.scope([&] { h = reverse_hessian(net, true).hessian; });
    };
    net.clear_gradients();
    const Memory memory = memory_of(act);
    const std::vector<double> here = h.values(), g = net.gradient();
    if (hessian.empty()) hessian = here, gradient = g;
    const double difference = distance(here, hessian) / largest(hessian),
                 gradient_difference = distance(g, gradient) / largest(gradient);
    if (keeping.exact) {
      journal.validate(keeping.name + ": Hessian against none", difference, 0);
      journal.validate(keeping.name + ": gradient against none", gradient_difference, 0);
    }
    std::vector<double> times;
    for (int i = 0; i < options.samples; ++i) times.push_back(seconds(act));
    journal.print(Line()
                      .add("row", keeping.name)
                      .add("dtype", name_of(options.dtype))
                      .add("points", net.points())
                      .add("width", net.width())
                      .add("peak_bytes", memory.storage)
                      .add("peak_anonymous_bytes", memory.resident)
                      .add("hessian_difference", difference)
                      .add("gradient_difference", gradient_difference)
                      .add("median_ms", 1e3 * median(times))
                      .add("least_ms", 1e3 * least(times))
                      .add("samples", times.size()));
  }
}

}  // namespace pinn::bench
