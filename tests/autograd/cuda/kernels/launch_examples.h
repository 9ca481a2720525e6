#pragma once
#include <cstdint>

#include "autograd/cuda/gpu.h"

/// to[i] = i^2 for i < count.
void fill_with_squares(pinn::cuda::Gpu& gpu, double* to, std::int64_t count);
/// to[r] = sum of row r of from, [rows, columns]; a block of threads for each row.
void sum_rows(pinn::cuda::Gpu& gpu, double* to, const double* from, std::int64_t rows,
              std::int64_t columns);
