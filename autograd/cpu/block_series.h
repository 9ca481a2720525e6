#pragma once
#include "autograd/cpu/jet_series.h"

namespace pinn::cpu {

/// As series_kernel; tanh, sin and cos are evaluated once for all their derivatives.
template <class T> SeriesKernel<T> block_series_kernel(int op, int M);

}  // namespace pinn::cpu
