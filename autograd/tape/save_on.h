#pragma once
#include <functional>

#include "autograd/tape/offload_places.h"
#include "autograd/tape/tensor.h"

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
  /// Bytes that the file has grown to.
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
  /// Note for the user: empty when tensors are copied.
  std::string note() const {
    return does_anything_ ? ""
                          : "saved tensors are in the host's memory already: nothing is copied";
  }

 private:
  bool does_anything_;
  Offload offload_;
  SavedHooksScope scope_;
};

/// function(inputs), of which the inputs alone are saved: what else the backward pass needs is
/// computed again, all at once when the first of it is read, and let go as its nodes have run or
/// the pass is over.
///
/// The function runs once more per backward pass that needs it, and must do the same then. It may
/// capture tensors: parameters, say. All of grad(), create_graph, pruned passes and checkpoints
/// within checkpoints work as without; the gradients are the same to the last bit. Inputs are saved
/// as a node would, so that hooks around the checkpoint apply to them; those around it do not
/// apply to what is saved inside.
///
///   cost     one more forward pass of the function
///   errors   EngineError, from the backward pass, when the function does something else the second
///            time, or when an input or a captured leaf was changed in place since
///   source   Chen et al. 2016, Training deep nets with sublinear memory cost, arXiv:1604.06174
std::vector<Tensor> checkpoint(
    std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function,
    const std::vector<Tensor>& inputs);
Tensor checkpoint(std::function<Tensor(const std::vector<Tensor>&)> function,
                  const std::vector<Tensor>& inputs);

}  // namespace pinn
