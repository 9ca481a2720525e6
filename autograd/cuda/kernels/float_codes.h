#pragma once
#include <cstdint>

#include "autograd/core/numbers.h"
#include "autograd/cuda/gpu.h"
#include "autograd/ops/float_format.h"

namespace pinn::cuda {

/// Codes of x 2^exponent, one or two bytes each, and the exponent behind them if the format needs
/// one (FloatFormat::bytes_packed). All of it is found on the device; the host does not wait.
void encode(Gpu& gpu, const FloatFormat& format, DType dtype, const void* x, void* codes,
            std::int64_t n);
/// x = (number of the code) 2^-exponent.
void decode(Gpu& gpu, const FloatFormat& format, DType dtype, const void* codes, void* x,
            std::int64_t n);

}  // namespace pinn::cuda
