#pragma once
#include "autograd/tape/offload.h"

namespace pinn {

/// Treatment of the tensors that a step saves for its backward pass.
struct SavedOptions {
  std::string kind = "keep";  ///< keep | cpu | disk | bf16 | fp16 | fp8_e4m3 | fp8_e5m2 | recompute
  std::int64_t threshold = 65536;  ///< bytes: smaller tensors are kept
  std::string folder = ".";        ///< where disk puts its file

  /// True if tensors are simply kept: on a CPU, cpu does nothing either.
  bool keeps() const { return kind == "keep" || kind == "cpu"; }
  /// True if a compiled step leaves it alone: its blocks of points are small, so what they save is
  /// not worth a file, or computing again. Op by op it is.
  bool only_op_by_op() const { return kind == "disk" || kind == "recompute"; }
  /// Options as a compiled step follows them.
  SavedOptions when_compiled() const {
    SavedOptions options = *this;
    if (only_op_by_op()) options.kind = "keep";
    return options;
  }
  /// True if what is unpacked differs from what was packed.
  bool rounds() const { return kind.starts_with("bf") || kind.starts_with("fp"); }
};

/// Makes the hooks that SavedOptions ask for; threads may ask at the same time.
class SavedPolicy {
 public:
  /// For tensors of a device: cpu copies those of a GPU to pinned memory of the host.
  /// Errors: ConfigError for a kind there is not, and for disk with a GPU; FileError for a folder
  /// that cannot be written.
  explicit SavedPolicy(const SavedOptions& options, Device device = Device::cpu);

  const SavedOptions& options() const { return options_; }
  /// For one forward pass and its backward pass; null where tensors are kept.
  SavedHooksPtr hooks() const;
  /// Layers of a network per checkpoint; 0: none.
  int layers_per_checkpoint() const { return layers_per_checkpoint_; }

 private:
  SavedOptions options_;
  std::shared_ptr<OffloadPlace> place_;
  std::size_t in_flight_ = 0;
  SavedHooksPtr rounding_;
  int layers_per_checkpoint_ = 0;
};

}  // namespace pinn
