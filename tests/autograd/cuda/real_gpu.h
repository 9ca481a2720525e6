#pragma once
#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "tests/catch.h"

/// For tests tagged [gpu], which end at once where this machine has none; the reason is told.
inline bool no_gpu() {
  try {
    if (pinn::cuda::gpus() > 0) return false;
    WARN("test skipped: this machine has no GPU");
  } catch (const pinn::DeviceError& error) {
    WARN("test skipped: " << error.report.what);
  }
  return true;
}
