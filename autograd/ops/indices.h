#pragma once
#include "autograd/core/host_device.h"

namespace pinn {

/// The numbers 0 ... n - 1 as a pack; std::integer_sequence is not there when kernels are built
/// while the program runs.
template <int... i> struct Indices {};

template <int n, int... i> HD constexpr auto indices() {
  if constexpr (n == 0)
    return Indices<i...>();
  else
    return indices<n - 1, n - 1, i...>();
}

}  // namespace pinn
