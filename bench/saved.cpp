#include "autograd/core/storage.h"
#include "autograd/tape/packing.h"
#include "bench/clock.h"
#include "bench/hessian_net.h"
#include "bench/resident.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

using Act = std::function<void()>;

/// A way to keep what a forward pass saves for the backward pass.
struct Keeping {
  std::string name;
  bool exact;                             ///< gradients are the same, bit for bit
  std::function<void(const Act&)> under;  ///< runs an act under it
};

/// Hooks that keep the very tensor: what a pair of hooks costs by itself.
SavedHooksPtr identity_hooks() {
  SavedHooks hooks;
  hooks.name = "identity";
  hooks.pack = [](const Tensor& t, const SavedContext&) { return Packed{{t}, {}}; };
  hooks.unpack = [](const Packed& p) { return p.tensors[0]; };
  return std::make_shared<const SavedHooks>(std::move(hooks));
}

std::vector<Keeping> keepings() {
  const auto with_hooks = [](SavedHooksPtr hooks) {
    return [hooks](const Act& act) {
      const SavedHooksScope scope(hooks);
      act();
    };
  };
  std::vector<Keeping> all{{"none", true, [](const Act& act) { act(); }},
                           {"identity", true, with_hooks(identity_hooks())}};
  for (const FloatFormat& format : {bf16, fp16, fp8_e4m3, fp8_e5m2})
    all.push_back({std::string(format.name), false, with_hooks(rounding_hooks(format))});
  return all;
}

/// The memory that an act takes: at most in storages, and anonymous resident pages of the process
/// before it and at most.
Line memory_of(const Act& act) {
  const std::int64_t storage = memory_use(Device::cpu).live, resident = status_bytes("RssAnon");
  reset_peak(Device::cpu);
  AnonymousPeak peak;
  act();
  return Line()
      .add("peak_bytes", memory_use(Device::cpu).peak - storage)
      .add("anonymous_before", resident)
      .add("anonymous_peak", peak.bytes());
}

/// Runs the same computation under every way of keeping, which differ in time, memory and perhaps
/// in the results, each array of which is compared with that of the first way.
void each_keeping(const Options& options, Journal& journal, const Line& sizes, const Act& act,
                  const std::function<Arrays()>& results) {
  Arrays first;
  for (const Keeping& keeping : keepings()) {
    if (!first.empty() && !options.wants(keeping.name)) continue;
    const Act kept = [&] { keeping.under(act); };
    Line line = Line().add("row", keeping.name).add("dtype", name_of(options.dtype)).add(sizes);
    line.add(memory_of(kept));
    const Arrays here = results();
    if (first.empty()) first = here;
    for (const auto& [name, values] : here) {
      const double difference = distance(values, first[name]) / largest(first[name]);
      line.add(name + "_difference", difference);
      if (keeping.exact)
        journal.validate(keeping.name + ": " + name + " against none", difference, 0);
    }
    std::vector<double> times;
    for (int i = 0; i < options.samples; ++i) times.push_back(seconds(kept));
    line.add("median_ms", 1e3 * median(times)).add("least_ms", 1e3 * least(times));
    journal.print(line.add("samples", times.size()));
  }
}

}  // namespace

void saved_chain(const Options& options, Journal& journal) {
  const Tensor x = normal({options.points_or(10000000)}, "x", options.dtype).set_requires_grad();
  Tensor gradient;
  const Act act = [&] {
    gradient = {};
    Tensor h = x;
    for (int i = 0; i < 30; ++i) h = tanh(h);
    gradient = grad(sum(h), x);
  };
  const std::int64_t bytes = x.numel() * std::int64_t(size_of(options.dtype));
  each_keeping(options, journal, Line().add("elements", x.numel()).add("tensor_bytes", bytes), act,
               [&] {
                 return Arrays{{"gradient", gradient.values()}};
               });
}

void saved_hessian(const Options& options, Journal& journal) {
  const HessianNet net("tanh", options.points_or(2000), options.width_or(512), options.dtype);
  Tensor hessian;
  const Act act = [&] {
    net.clear_gradients();
    hessian = reverse_hessian(net, true).hessian;
  };
  each_keeping(options, journal, Line().add("points", net.points()).add("width", net.width()), act,
               [&] {
                 return Arrays{{"gradient", net.gradient()}, {"hessian", hessian.values()}};
               });
}

}  // namespace pinn::bench
