#pragma once
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>

#include "autograd/cuda/driver/driver.h"
#include "autograd/cuda/driver/groups.h"
#include "autograd/cuda/driver/kernel_cache.h"

namespace pinn::cuda {

/// Errors: DeviceError with the name of the call and what CUDA says of its status.
void check(const char* call, cudaError_t status);

/// Products by cuBLAS, which is opened with the first. Every stream has a handle and a workspace of
/// its own: so results are the same from run to run, and products can be captured.
class Products {
 public:
  Products();
  ~Products();
  void multiply(const Multiply& product, cudaStream_t stream);
  /// The stream is about to go.
  void forget(cudaStream_t stream);

 private:
  struct Handle;
  Handle& handle(cudaStream_t stream);

  std::mutex mutex_;
  std::map<cudaStream_t, std::unique_ptr<Handle>> handles_;
};

}  // namespace pinn::cuda
