#pragma once
#include "autograd/core/numbers.h"
#include "autograd/core/parallel.h"

namespace pinn::cpu {

/// Floating-point operations per second (in 1e9) that all threads of the pool reach together in a
/// loop of independent fused multiply-adds: what no product can exceed, measured for a few
/// milliseconds because it moves with the clock.
double fma_peak(DType dtype, ThreadPool& pool);

}  // namespace pinn::cpu
