#pragma once
#include <cstddef>

#include "autograd/ops/elementwise.h"

/// Elementwise work of the compiled step, strip by strip: a kernel is called once per strip, never
/// per element, and what it reads and writes stays in L1.
namespace pinn::cpu {

/// Numbers that a strip holds at most.
inline constexpr std::size_t strip_length = 256;

/// y[i] = f(a[i], b[i], c[i]) for i < n, a multiple of Vec<T>::size; y may be one of a, b, c. What
/// f does not read may be any array.
template <class T>
using StripKernel = void (*)(const T* a, const T* b, const T* c, double parameter, T* y,
                             std::size_t n);

template <class T> StripKernel<T> strip_kernel(const Elementwise& f);

}  // namespace pinn::cpu
