#pragma once
#include <cstddef>
#include <string>

#include "autograd/core/numbers.h"

namespace pinn {

/// A device of this machine, and what to tell of it: "cuda:0 (NVIDIA H200, 139.8 GiB)".
struct ChosenDevice {
  Device device;
  std::string text;
  std::string kind = "the CPU";  ///< devices of one kind compute the same bits
};

/// The device called "cpu", "cuda" (the first GPU), "cuda:1" or "auto": the first GPU, or the CPU
/// where none can be used, and the text says why. Several processes of a machine, which have
/// numbers from 0, take its GPUs in turns, where none is named.
/// Errors: DeviceError when a GPU is asked for by name and cannot be used.
ChosenDevice choose_device(const std::string& name, int turn = 0);

/// True if a GPU can be used; silent either way.
bool has_gpu();

/// The most bytes to take from a GPU from now on; 0 is as much as there is.
void limit_memory(Device gpu, std::size_t bytes);

}  // namespace pinn
