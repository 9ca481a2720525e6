#pragma once
#include <array>

#include "autograd/cpu/vectors/vector.h"
#include "autograd/ops/jet_table.h"
#include "autograd/ops/series.h"
#include "autograd/ops/unary.h"

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

/// Included only by the slices, series_0.cpp and so on.

template <class Op, class T, int M>
[[gnu::flatten]] int evaluate_series(const Vec<T>* x, double parameter, int n, Vec<T>* c) {
  int degree = 0;
  for (int l = 0; l < n; ++l) {
    const auto y = apply<Op>(Series<Vec<T>, M>::line(x[l]), parameter);
    for (int m = 0; m <= M; ++m) c[m * strip_vectors + l] = y.c[m];
    degree = y.degree;
  }
  return degree;
}

template <class T, int slice> SeriesKernel<T> series_kernel_in(int op, int M) {
  SeriesKernel<T> kernel = nullptr;
  visit_unary(op, [&]<class Op>() {
    if constexpr (unary_id<Op> % series_slices == slice)
      kernel = [&]<int... m>(std::integer_sequence<int, m...>) {
        return std::array<SeriesKernel<T>, sizeof...(m)>{evaluate_series<Op, T, m>...};
      }
    (std::make_integer_sequence<int, max_derivative + 1>{})[std::size_t(M)];
  });
  return kernel;
}

}  // namespace pinn::cpu
