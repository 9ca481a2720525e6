#pragma once
#include "autograd/core/numbers.h"
#include "autograd/cuda/driver/driver.h"

namespace pinn::bench {

/// Operations per nanosecond of a product of large matrices of random numbers.
double gpu_product_rate(Device device, DType dtype,
                        cuda::Precision precision = cuda::Precision::exact);

}  // namespace pinn::bench
