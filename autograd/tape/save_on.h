#pragma once
#include "autograd/tape/scratch_file.h"

namespace pinn {

/// In its scope saved tensors wait on a disk: they are written behind the forward pass and read
/// ahead of the backward pass, so that memory holds only what is on its way. The numbers are the
/// same to the last bit.
///
///   folder   on a disk; not a RAM disk such as /tmp often is. Nothing is left in it, also after a
///            crash
class SaveOnDisk {
 public:
  explicit SaveOnDisk(const std::string& folder, const OffloadOptions& options = {})
      : file_(std::make_shared<ScratchFile>(folder)),
        offload_(file_, options),
        scope_(offload_.hooks()) {}
  OffloadCounts counts() const { return offload_.counts(); }
  /// What the file has grown to.
  std::size_t file_bytes() const { return file_->size(); }

 private:
  std::shared_ptr<ScratchFile> file_;
  Offload offload_;
  SavedHooksScope scope_;
};

/// In its scope the saved tensors of a device wait in the memory of the host. Tensors of the CPU
/// are there already: they are kept as they are, and nothing is copied.
///
///   host     where a device copies to, which its backend provides; without one nothing is done
class SaveOnCpu {
 public:
  explicit SaveOnCpu(std::shared_ptr<OffloadPlace> host = nullptr,
                     const OffloadOptions& options = {})
      : does_anything_(host != nullptr),
        offload_(std::move(host), options),
        scope_(offload_.hooks()) {}
  OffloadCounts counts() const { return offload_.counts(); }
  /// What a user should know: empty when tensors are copied.
  std::string note() const {
    return does_anything_ ? ""
                          : "saved tensors are in the host's memory already: nothing is copied";
  }

 private:
  bool does_anything_;
  Offload offload_;
  SavedHooksScope scope_;
};

}  // namespace pinn
