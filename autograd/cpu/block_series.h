#pragma once
#include "autograd/cpu/jet_series.h"

/// The derivatives of functions for the compiled step.
namespace pinn::cpu {

/// As series_kernel, with one exponential instead of two functions where the op is tanh or sech2's
/// like.
template <class T> SeriesKernel<T> block_series_kernel(int op, int M);

/// c as from SeriesKernel, from y = f(x) and s = f'(x) instead of x.
template <class T> using KeptKernel = void (*)(const Vec<T>* y, const Vec<T>* s, Vec<T>* c);

/// The kernel for m = 0 ... M of an op whose higher derivatives follow from value and slope; null
/// for all others and for M > max_derivative.
template <class T> KeptKernel<T> kept_kernel(int op, int M);

}  // namespace pinn::cpu
