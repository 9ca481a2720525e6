#include "autograd/tape/offload_places.h"

#include "autograd/cuda/storage.h"

namespace pinn {

/// A storage's bytes in pinned memory, and the copy that was begun last.
struct PinnedPlace::Pinned : OffloadPlace::Copy {
  explicit Pinned(const Storage& from)
      : gpu(cuda::gpu(from.device()).shared_from_this()),
        room(gpu->allocate_pinned(from.bytes())),
        done(gpu->driver().create_event()) {
    bytes = from.bytes();
  }
  ~Pinned() override {
    settle();
    gpu->driver().destroy(done);
  }

  void begin(void* to, const void* from, std::shared_ptr<Storage> storage) {
    settle();
    busy = std::move(storage);
    gpu->order(gpu->compute(), gpu->copies());
    gpu->driver().copy(to, from, bytes, gpu->copies());
    gpu->driver().record(done, gpu->copies());
    gpu->pinned().record_use(room.get(), gpu->copies());
  }

  /// Makes what is begun on the compute stream from now on find the copy done.
  void settle() const {
    if (!busy) return;
    gpu->driver().wait(gpu->compute(), done);
    busy.reset();
  }

  std::shared_ptr<cuda::Gpu> gpu;
  std::shared_ptr<void> room;
  cuda::Event done;
  mutable std::shared_ptr<Storage> busy;  ///< what the copy works on, until it is settled
};

std::shared_ptr<OffloadPlace::Copy> PinnedPlace::begin_write(const std::shared_ptr<Storage>& from) {
  auto copy = std::make_shared<Pinned>(*from);
  copy->begin(copy->room.get(), from->data(), from);
  return copy;
}

std::shared_ptr<Storage> PinnedPlace::memory_for(const Copy& copy) {
  return cuda::make_storage(*static_cast<const Pinned&>(copy).gpu, copy.bytes);
}

void PinnedPlace::begin_read(const std::shared_ptr<Copy>& copy,
                             const std::shared_ptr<Storage>& into) {
  Pinned& pinned = static_cast<Pinned&>(*copy);
  pinned.begin(into->data(), pinned.room.get(), into);
}

void PinnedPlace::wait(const Copy& copy) { static_cast<const Pinned&>(copy).settle(); }

}  // namespace pinn
