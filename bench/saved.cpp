#include "autograd/core/storage.h"
#include "autograd/tape/packing.h"
#include "autograd/tape/save_on.h"
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
  bool elsewhere;                         ///< what is saved leaves memory
  int segment;                            ///< layers per checkpoint; 0: none
  std::function<void(const Act&)> under;  ///< runs an act under it
};

/// Measured passes: a forward and a backward pass with so many layers per checkpoint. Between them
/// it calls back, when nothing is alive but what was saved.
using Passes = std::function<void(int segment, const Act& between)>;

/// Hooks that keep the very tensor: what a pair of hooks costs by itself.
SavedHooksPtr identity_hooks() {
  SavedHooks hooks;
  hooks.name = "identity";
  hooks.pack = [](const Tensor& t, const SavedContext&) { return Packed{{t}, {}}; };
  hooks.unpack = [](const Packed& p) { return p.tensors[0]; };
  return std::make_shared<const SavedHooks>(std::move(hooks));
}

std::vector<Keeping> keepings(const std::string& folder) {
  const auto with_hooks = [](SavedHooksPtr hooks) {
    return [hooks](const Act& act) {
      const SavedHooksScope scope(hooks);
      act();
    };
  };
  const auto plain = [](const Act& act) { act(); };
  const auto on_disk = [folder](const Act& act) {
    const SaveOnDisk scope(folder);
    act();
  };
  std::vector<Keeping> all{{"none", true, false, 0, plain},
                           {"identity", true, false, 0, with_hooks(identity_hooks())},
                           {"disk", true, true, 0, on_disk},
                           {"recompute", true, false, 3, plain}};
  for (const FloatFormat& format : {bf16, fp16, fp8_e4m3, fp8_e5m2})
    all.push_back({std::string(format.name), false, false, 0, with_hooks(rounding_hooks(format))});
  return all;
}

/// The memory that the passes take: in storages between them and at most, and anonymous resident
/// pages of the process before them and at most.
struct Memory {
  std::int64_t packed = 0, peak = 0, resident_before = 0, resident_peak = 0;
  Line line() const {
    return Line()
        .add("packed_bytes", packed)
        .add("peak_bytes", peak)
        .add("anonymous_before", resident_before)
        .add("anonymous_peak", resident_peak);
  }
};

Memory memory_of(const Passes& passes, const Keeping& keeping) {
  Memory m;
  const std::int64_t before = memory_use(Device::cpu).live;
  m.resident_before = status_bytes("RssAnon");
  reset_peak(Device::cpu);
  AnonymousPeak peak;
  keeping.under(
      [&] { passes(keeping.segment, [&] { m.packed = memory_use(Device::cpu).live - before; }); });
  m.peak = memory_use(Device::cpu).peak - before;
  m.resident_peak = peak.bytes();
  if (keeping.elsewhere) m.packed = 0;  // what is still on its way is counted with the rest
  return m;
}

/// Holds results to those without any keeping; the differences.
Line compared(const Keeping& keeping, const Arrays& here, const Arrays& none, Journal& journal) {
  Line line;
  for (const auto& [name, values] : here) {
    const double difference = distance(values, none.at(name)) / largest(none.at(name));
    line.add(name + "_difference", difference);
    if (keeping.exact)
      journal.validate(keeping.name + ": " + name + " against none", difference, 0);
  }
  return line;
}

/// Memory first, while nothing else has used any; then results and times.
Memory one_keeping(const Keeping& keeping, const Options& options, Journal& journal,
                   const Line& sizes, std::int64_t tensor_bytes, const Passes& passes,
                   const std::function<Arrays()>& results) {
  const auto nothing = [] {};
  const Memory memory = memory_of(passes, keeping);
  const Arrays here = results();
  std::vector<double> times;
  for (int i = 0; i < options.samples; ++i)
    times.push_back(seconds([&] { keeping.under([&] { passes(keeping.segment, nothing); }); }));
  passes(0, nothing);
  const Line differences = compared(keeping, here, results(), journal);

  journal.print(Line()
                    .add("row", keeping.name)
                    .add("dtype", name_of(options.dtype))
                    .add(sizes)
                    .add("tensor_bytes", tensor_bytes)
                    .add(memory.line())
                    .add(differences)
                    .add("median_ms", 1e3 * median(times))
                    .add("least_ms", 1e3 * least(times))
                    .add("samples", times.size()));
  return memory;
}

/// The bar for a chain of layers, whose backward pass needs few tensors at a time.
void compare(const Keeping& keeping, const Memory& memory, std::int64_t tensor_bytes,
             const Journal& journal) {
  if (keeping.name == "none" || keeping.name == "identity") return;
  constexpr double mebi = 1 << 20;
  journal.compare(keeping.name + ": anonymous MiB, packed + 5 tensors + 30",
                  double(memory.resident_peak) / mebi,
                  double(memory.packed + 5 * tensor_bytes) / mebi + 30);
}

/// The ways of keeping that were asked for, each in a process of its own unless one is named.
void each_keeping(const Options& options, Journal& journal,
                  const std::function<void(const Keeping&)>& one) {
  for (const Keeping& keeping : keepings(options.folder.empty() ? "." : options.folder)) {
    if (options.row == keeping.name) return one(keeping);
    if (!options.wants(keeping.name)) continue;
    Options apart = options;
    apart.row = keeping.name;
    run_apart(apart, journal);
  }
}

}  // namespace

void saved_chain(const Options& options, Journal& journal) {
  each_keeping(options, journal, [&](const Keeping& keeping) {
    constexpr int depth = 30;
    const Tensor x = normal({options.points_or(10000000)}, "x", options.dtype).set_requires_grad();
    Tensor gradient;
    const auto layers = [](Tensor h, int count) {
      for (int i = 0; i < count; ++i) h = tanh(h);
      return h;
    };
    const Passes passes = [&](int segment, const Act& between) {
      gradient = {};
      Tensor h = segment == 0 ? layers(x, depth) : x;
      for (int done = 0; segment > 0 && done < depth; done += segment) {
        const int count = std::min(segment, depth - done);
        h = checkpoint([=](const std::vector<Tensor>& in) { return layers(in[0], count); }, {h});
      }
      const Tensor total = sum(h);
      h = {};
      between();
      gradient = grad(total, x);
    };
    const std::int64_t bytes = x.numel() * std::int64_t(size_of(options.dtype));
    const Memory memory = one_keeping(keeping, options, journal, Line().add("elements", x.numel()),
                                      bytes, passes, [&] {
                                        return Arrays{{"gradient", gradient.values()}};
                                      });
    compare(keeping, memory, bytes, journal);
  });
}

void saved_hessian(const Options& options, Journal& journal) {
  each_keeping(options, journal, [&](const Keeping& keeping) {
    HessianNet net("tanh", options.points_or(2000), options.width_or(512), options.dtype);
    Tensor hessian;
    const Passes passes = [&](int segment, const Act& between) {
      net.clear_gradients();
      net.segment = segment;
      hessian = {};
      hessian = reverse_hessian(net, true, between).hessian;
    };
    one_keeping(keeping, options, journal,
                Line().add("points", net.points()).add("width", net.width()),
                net.points() * net.width() * std::int64_t(size_of(options.dtype)), passes, [&] {
                  return Arrays{{"gradient", net.gradient()}, {"hessian", hessian.values()}};
                });
  });
}

}  // namespace pinn::bench
