#include "autograd/cuda/storage.h"

#include <algorithm>
#include <cstring>

#include "autograd/core/storage.h"

namespace pinn::cuda {
namespace {

class DeviceStorage : public Storage {
 public:
  DeviceStorage(std::size_t bytes, std::shared_ptr<void> block, Device device)
      : Storage(bytes, block.get(), device), block_(std::move(block)) {}

 private:
  std::shared_ptr<void> block_;
};

}  // namespace

std::shared_ptr<Storage> make_storage(Gpu& gpu, std::size_t bytes) {
  return std::allocate_shared<DeviceStorage>(PieceAllocator<DeviceStorage>{}, bytes,
                                             gpu.allocate(std::max<std::size_t>(bytes, 1)),
                                             gpu.device());
}

void upload(Gpu& gpu, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::shared_ptr<void> way = gpu.allocate_pinned(bytes);
  std::memcpy(way.get(), from, bytes);
  gpu.driver().copy(to, way.get(), bytes, gpu.compute());
  gpu.pinned().record_use(way.get(), gpu.compute());
}

std::shared_ptr<void> uploaded(Gpu& gpu, const void* from, std::size_t bytes) {
  std::shared_ptr<void> memory = gpu.allocate(bytes);
  upload(gpu, memory.get(), from, bytes);
  return memory;
}

}  // namespace pinn::cuda
