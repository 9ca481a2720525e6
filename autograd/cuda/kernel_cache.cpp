#include "autograd/cuda/kernel_cache.h"

#include "autograd/cuda/nvrtc.h"

namespace pinn::cuda {

std::string KernelCache::built(const std::string& text, int architecture) {
  const std::lock_guard lock(mutex_);
  std::string& cubin = cubins_[{text, architecture}];
  if (cubin.empty()) cubin = compile(text, architecture);
  return cubin;
}

}  // namespace pinn::cuda
