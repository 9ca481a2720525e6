#pragma once
#include <cstdint>

#include "autograd/core/numbers.h"
#include "autograd/cuda/gpu.h"

namespace pinn::cuda {

/// A matrix in memory: element (i, j) is data[i * row + j * column]; one of the strides is 1.
struct Matrix {
  const void* data = nullptr;
  std::int64_t row = 0, column = 1;
};

/// c[m, n] = a[m, k] b[k, n], c contiguous by rows; begun on the compute stream.
void product(Gpu& gpu, DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a,
             const Matrix& b, void* c);

}  // namespace pinn::cuda
