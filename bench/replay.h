#pragma once
#include "autograd/core/numbers.h"
#include "autograd/core/stats.h"

namespace pinn::bench {

/// The seconds that these products take by themselves, on operands of the same sizes: each shape is
/// timed once, alone, with its operands as they lie in forward, data-gradient and weight-gradient
/// products. What an iteration takes beyond this is elementwise work and bookkeeping.
double replay_seconds(const std::vector<ProductSize>& products, DType dtype);

}  // namespace pinn::bench
