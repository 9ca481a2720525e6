#pragma once
#include "autograd/cpu/vectors/vector.h"
#include "autograd/ops/jet_table.h"

namespace pinn::cpu {

/// Elements are worked on in strips of this many vectors; all that belongs to a strip stays in L1.
inline constexpr int strip_vectors = 4;

/// c[m * strip_vectors + l] = f^(m)(x[l]) / m! for the first n vectors of a strip; returns the
/// highest m that may be other than 0.
template <class T>
using SeriesKernel = int (*)(const Vec<T>* x, double parameter, int n, Vec<T>* c);

/// The kernel for m = 0 ... M of an op; EngineError when M > max_derivative.
template <class T> SeriesKernel<T> series_kernel(int op, int M);
/// The same for the compiled step: ops with kernels of their own (activation.h) take those.
template <class T> SeriesKernel<T> block_series_kernel(int op, int M);

/// The kernels are many, so they are compiled in slices: op i is in slice i modulo series_slices.
inline constexpr int series_slices = 3;
template <class T, int slice> SeriesKernel<T> series_kernel_in(int op, int M);

}  // namespace pinn::cpu
