#include "autograd/tape/saved_policy.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "autograd/tape/offload_places.h"
#include "autograd/tape/packing.h"

namespace pinn {
namespace {

constexpr int layers_recomputed_at_once = 3;
/// Bytes in flight of each thread: a few layers of a block.
constexpr std::size_t in_flight_to_disk = std::size_t(4) << 20;
/// On a GPU blocks are larger, and so is the memory.
constexpr std::size_t most_in_flight_to_host = std::size_t(1) << 30;

std::size_t in_flight_to_host(Device device) {
  return std::min(most_in_flight_to_host, cuda::gpu(device).info().memory / 8);
}

}  // namespace

SavedPolicy::SavedPolicy(const SavedOptions& options, Device device) : options_(options) {
  if (options.kind == "cpu" && !device.is_cpu()) {
    place_ = std::make_shared<PinnedPlace>();
    in_flight_ = in_flight_to_host(device);
    return;
  }
  if (options.keeps()) return;
  if (options.kind == "disk" && !device.is_cpu())
    throw ConfigError({"saved tensors of " + name_of(device) + " cannot wait on a disk",
                       "[memory] saved", "use saved = \"cpu\", which moves them to the host"});
  if (options.kind == "disk") {
    place_ = std::make_shared<ScratchFile>(options.folder);
    in_flight_ = in_flight_to_disk;
    return;
  }
  if (options.kind == "recompute") {
    layers_per_checkpoint_ = layers_recomputed_at_once;
    return;
  }
  for (const FloatFormat& format : {bf16, fp16, fp8_e4m3, fp8_e5m2})
    if (options.kind == format.name)
      rounding_ = rounding_hooks(format, {std::size_t(options.threshold)});
  if (!rounding_)
    throw ConfigError({"there is no way '" + options.kind + "' to save tensors", "[memory] saved",
                       "use keep, cpu, disk, bf16, fp16, fp8_e4m3, fp8_e5m2 or recompute"});
}

SavedHooksPtr SavedPolicy::hooks() const {
  if (!place_) return rounding_;
  return Offload(place_, {std::size_t(options_.threshold), in_flight_}).hooks();
}

}  // namespace pinn
