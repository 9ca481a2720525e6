#pragma once
#include "autograd/tape/offload.h"

namespace pinn {

/// Pinned memory of the host, for the storages of GPUs; those of the CPU are not for it. Both ways
/// go on the GPU's copy stream and wait for nothing on the host:
///
///   out    after what was begun on the compute stream, so after what made the storage
///   back   into memory of the compute stream, after what was begun there, so after its last owner
///   wait   the compute stream waits for the copy
///
/// A storage is held until the compute stream has been told to wait for the copy that reads or
/// writes it: then its memory may go back to the stream's allocator. Pinned blocks come back when
/// their copies are done.
class PinnedPlace : public OffloadPlace {
 public:
  bool takes(const Storage& storage) const override { return !storage.device().is_cpu(); }
  std::shared_ptr<Copy> begin_write(const std::shared_ptr<Storage>& from) override;
  std::shared_ptr<Storage> memory_for(const Copy& copy) override;
  void begin_read(const std::shared_ptr<Copy>& copy, const std::shared_ptr<Storage>& into) override;
  void wait(const Copy& copy) override;

 private:
  struct Pinned;
};

}  // namespace pinn
