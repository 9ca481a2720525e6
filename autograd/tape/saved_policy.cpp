#include "autograd/tape/saved_policy.h"

#include "autograd/core/error.h"
#include "autograd/tape/packing.h"
#include "autograd/tape/scratch_file.h"

namespace pinn {
namespace {

constexpr int layers_recomputed_at_once = 3;
/// Of each thread: a few layers of a block.
constexpr std::size_t in_flight = std::size_t(4) << 20;

}  // namespace

SavedPolicy::SavedPolicy(const SavedOptions& options) : options_(options) {
  if (options.keeps()) return;
  if (options.kind == "disk") {
    disk_ = std::make_shared<ScratchFile>(options.folder);
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
  if (!disk_) return rounding_;
  return Offload(disk_, {std::size_t(options_.threshold), in_flight}).hooks();
}

}  // namespace pinn
