#include "autograd/tape/packing.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <set>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/offload.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

/// The axes of a tensor from the largest stride to the smallest: in this order its elements stand
/// in memory. An expanded axis counts as one of size 1.
struct MemoryOrder {
  std::array<int, 4> axes{};
  Shape shape;  ///< in that order

  MemoryOrder(const Shape& of, const Sizes& strides) : shape(of) {
    std::iota(axes.begin(), axes.end(), 0);
    std::stable_sort(axes.begin(), axes.begin() + of.rank(),
                     [&](int a, int b) { return strides[a] > strides[b]; });
    for (int i = 0; i < of.rank(); ++i)
      shape[i] = strides[axes[std::size_t(i)]] == 0 ? 1 : of[axes[std::size_t(i)]];
  }
};

/// The elements of x, each once, in the order of memory.
Tensor packed_elements(const Tensor& x) {
  const MemoryOrder order(x.shape(), x.strides());
  Sizes strides{};
  for (int i = 0; i < x.rank(); ++i) strides[i] = x.strides()[order.axes[std::size_t(i)]];
  return contiguous_data(alias(x, order.shape, strides, x.body()->offset));
}

bool shows_memory_of_its_input(Primitive op) {
  return op == Primitive::reshape || op == Primitive::transpose || op == Primitive::slice ||
         op == Primitive::expand;
}

/// The number of a format in the list of formats.
int number_of(const FloatFormat& format) {
  const auto at =
      std::find_if(std::begin(float_formats), std::end(float_formats),
                   [&](const FloatFormat& f) { return f.name == std::string_view(format.name); });
  return int(at - std::begin(float_formats));
}

/// Rounded copies of tensors of one thread or several.
class Rounding {
 public:
  Rounding(const FloatFormat& format, const PackingOptions& options)
      : format_(format), options_(options) {}

  std::optional<Packed> pack(const Tensor& t, const SavedContext& context) {
    const std::lock_guard guard(lock_);
    if (is_traced(t)) return pack_traced(t, context);
    const std::shared_ptr<Storage>& storage = t.body()->storage;
    if (!passes(options_.filter, context)) kept_.note(storage, true);
    if (is_too_small(t, context) || kept_.find(storage)) return {};
    const RoundedStorage before = rounded_.find(storage);
    std::shared_ptr<RoundedTensor> r =
        before.version == t.version() ? before.rounded.lock() : nullptr;
    if (!r || before.offset != t.body()->offset || !(r->shape == t.shape()) ||
        r->strides != t.strides() || r->dtype != t.dtype()) {
      r = std::make_shared<RoundedTensor>(rounded(t, format_));
      rounded_.note(storage, {r, t.version(), t.body()->offset});
    }
    return Packed{{}, r};
  }

 private:
  bool is_too_small(const Tensor& t, const SavedContext& context) const {
    return context.bytes < options_.threshold || !is_floating(t.dtype());
  }

  std::optional<Packed> pack_traced(const Tensor& t, const SavedContext& context) {
    Trace& trace = *Trace::current();
    if (trace.number() != trace_) kept_values_.clear();
    trace_ = trace.number();
    int memory = trace.value_of(t);
    while (shows_memory_of_its_input(trace.graph().values[std::size_t(memory)].op))
      memory = trace.graph().values[std::size_t(memory)].inputs[0];
    if (!passes(options_.filter, context)) kept_values_.insert(memory);
    // An input of the graph is memory of a leaf, whether or not that was saved itself.
    const bool is_of_leaf = options_.filter == SavedFilter::donated &&
                            trace.graph().values[std::size_t(memory)].op == Primitive::input;
    if (is_of_leaf || is_too_small(t, context) || kept_values_.count(memory) > 0) return {};
    return Packed{{primitive::round(format_, t)}, {}};
  }

  struct RoundedStorage {
    std::weak_ptr<RoundedTensor> rounded;
    std::uint32_t version = 0;
    std::int64_t offset = 0;
  };
  FloatFormat format_;
  PackingOptions options_;
  std::mutex lock_;
  SeenStorages<bool> kept_;
  std::uint32_t trace_ = 0;
  std::set<int> kept_values_;  ///< of that trace
  SeenStorages<RoundedStorage> rounded_;
};

}  // namespace

RoundedTensor rounded(const Tensor& x, const FloatFormat& format) {
  if (!is_floating(x.dtype()))
    throw EngineError({"only floating tensors can be rounded", describe(x), "keep it as it is"});
  const Tensor data = packed_elements(x);
  const std::size_t bytes = std::size_t(format.bytes_packed(data.numel()));
  RoundedTensor r{format, x.dtype(), x.shape(), x.strides(), make_storage(bytes, x.device())};
  kernels::encode(format, data, *r.codes);
  return r;
}

Tensor restored(const RoundedTensor& r) {
  const MemoryOrder order(r.shape, r.strides);
  const Tensor data = allocate(order.shape, r.dtype, r.codes->device());
  kernels::decode(r.format, *r.codes, data);
  Sizes strides{};
  for (int i = 0; i < r.shape.rank(); ++i) {
    const int axis = order.axes[std::size_t(i)];
    strides[axis] = r.strides[axis] == 0 ? 0 : data.strides()[i];
  }
  return alias(data, r.shape, strides, 0);
}

Tensor primitive::round(const FloatFormat& format, const Tensor& x) {
  if (!any_traced({&x})) return restored(rounded(x, format));
  return append(Primitive::round, {&x}, x.shape(), x.dtype(), {.format = number_of(format)});
}

SavedHooksPtr rounding_hooks(const FloatFormat& format, const PackingOptions& options) {
  const auto rounding = std::make_shared<Rounding>(format, options);
  SavedHooks hooks;
  hooks.name = format.name;
  hooks.lossy = hooks.traceable = true;
  hooks.pack = [rounding](const Tensor& t, const SavedContext& context) {
    return rounding->pack(t, context);
  };
  hooks.unpack = [](const Packed& packed) {
    if (!packed.tensors.empty()) return packed.tensors[0];
    return restored(*static_cast<const RoundedTensor*>(packed.object.get()));
  };
  return std::make_shared<const SavedHooks>(std::move(hooks));
}

}  // namespace pinn
