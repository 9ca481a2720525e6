#pragma once
#include <cstddef>

#include "autograd/core/numbers.h"

namespace pinn::cpu {

/// y[i] = f(x[i]) for the op of Unary with this number; `parameter` is the exponent of power. x and
/// y may be the same array.
///
///   errors   EngineError when the dtype is not a floating one
void unary(int op, double parameter, DType dtype, const void* x, void* y, std::size_t n);

/// dx[i] = f'(x[i]) dy[i], given y[i] = f(x[i]). What the op's slope does not read (uses_x, uses_y)
/// may be null; dx may be the same array as dy.
///
///   errors   EngineError when the dtype is not a floating one
void unary_pullback(int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::size_t n);

}  // namespace pinn::cpu
