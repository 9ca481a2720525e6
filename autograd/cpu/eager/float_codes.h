#pragma once
#include <cstddef>

#include "autograd/core/numbers.h"
#include "autograd/ops/float_format.h"

namespace pinn::cpu {

/// The largest |x| that is finite; 1 if there is none at all.
double largest_finite(DType dtype, const void* x, std::size_t n);

/// Codes of x 2^exponent, one or two bytes each.
void encode(const FloatFormat& format, int exponent, DType dtype, const void* x, void* codes,
            std::size_t n);
/// x = (number of the code) 2^-exponent.
void decode(const FloatFormat& format, int exponent, DType dtype, const void* codes, void* x,
            std::size_t n);

}  // namespace pinn::cpu
