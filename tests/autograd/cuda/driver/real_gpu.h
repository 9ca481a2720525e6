#pragma once
#include "autograd/core/error.h"
#include "autograd/cuda/driver/library.h"
#include "autograd/cuda/gpu.h"
#include "tests/skip.h"

/// Why no test can use a real GPU here; empty where it can. For tests tagged [gpu].
inline std::string lack_of_gpu() {
  try {
    return pinn::cuda::gpus() > 0 ? "" : "this machine has no GPU";
  } catch (const pinn::DeviceError& error) {
    return error.report.what;
  }
}

/// Why no test can compile kernels; it takes NVRTC, and no GPU.
inline std::string lack_of_compiler() {
  try {
    pinn::cuda::compiler_version();
    return "";
  } catch (const pinn::DeviceError& error) {
    return error.report.what;
  }
}
