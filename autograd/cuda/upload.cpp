#include "autograd/cuda/upload.h"

#include <cstring>

namespace pinn::cuda {

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
