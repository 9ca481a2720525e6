#pragma once
#include <memory>
#include <string>

#include "autograd/cuda/driver.h"

/// Kernels from the text that a GPU would get, built by the compiler of the host. It reads the
/// text's C++ as a GPU would, with one thread per block: `threadIdx`, `blockIdx`, `blockDim`,
/// `gridDim`, `__syncthreads`, `__shared__` (one array `extern __shared__ T name[];` of a plain
/// type per text) and what <cmath> has.
std::shared_ptr<pinn::cuda::Module> simulated_module(const std::string& text);

/// c = a b + beta c on the host, as pinn::cuda::Multiply says.
void simulated_multiply(const pinn::cuda::Multiply& product);
