#pragma once
#include <memory>
#include <string>

#include "autograd/cuda/driver/driver.h"

/// How many threads a block of a kernel from text has: one, or eight that take turns from barrier
/// to barrier, the first one first or the last one. What they come to is the same in both orders
/// unless some thread reads or overwrites, without a barrier in between, what another one writes.
enum class BlockThreads : unsigned char { one, forwards, backwards };

/// Kernels from the text that a GPU would get, built by the compiler of the host. It reads the
/// text's C++ as a GPU would: `threadIdx`, `blockIdx`, `blockDim`, `gridDim`, `__syncthreads` (the
/// program ends where threads of a block wait at different ones), `__shared__` (one array
/// `extern __shared__ T name[];` of a plain type per text) and what <cmath> has.
std::shared_ptr<pinn::cuda::Module> simulated_module(const std::string& text, BlockThreads threads);

/// c = a b + beta c on the host, as pinn::cuda::Multiply says.
void simulated_multiply(const pinn::cuda::Multiply& product);
