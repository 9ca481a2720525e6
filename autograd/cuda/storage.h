#pragma once
#include <memory>

#include "autograd/core/storage.h"
#include "autograd/cuda/gpu.h"

namespace pinn::cuda {

/// A storage in the memory of a GPU, for work on its compute stream: what is begun there after the
/// last owner left may have the memory at once. Errors: DeviceError when there is not so much.
std::shared_ptr<Storage> make_storage(Gpu& gpu, std::size_t bytes);

}  // namespace pinn::cuda
