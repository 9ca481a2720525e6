#pragma once
#include <cstddef>
#include <memory>

#include "autograd/core/storage.h"
#include "autograd/cuda/gpu.h"

namespace pinn::cuda {

/// A storage in the memory of a GPU, for work on its compute stream: what is begun there after the
/// last owner left may have the memory at once. Errors: DeviceError when there is not so much.
std::shared_ptr<Storage> make_storage(Gpu& gpu, std::size_t bytes);

/// Copies bytes of the host to the GPU for what is begun on the compute stream afterwards. Neither
/// waits: the bytes have been read when this returns, and travel by way of pinned memory.
void upload(Gpu& gpu, void* to, const void* from, std::size_t bytes);
/// The same into memory of its own.
std::shared_ptr<void> uploaded(Gpu& gpu, const void* from, std::size_t bytes);

}  // namespace pinn::cuda
