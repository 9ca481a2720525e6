#include "autograd/cuda/storage.h"

#include <algorithm>

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

}  // namespace pinn::cuda
