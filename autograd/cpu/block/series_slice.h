#pragma once
#include <array>

#include "autograd/cpu/block/series.h"
#include "autograd/ops/series.h"
#include "autograd/ops/unary.h"

/// Included only by the slices, series_0.cpp and so on.
namespace pinn::cpu {

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
