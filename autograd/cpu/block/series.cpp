#include "autograd/cpu/block/series.h"

#include <array>
#include <utility>

#include "autograd/cpu/block/activation.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {
namespace {

template <class A, class T> inline constexpr bool has_series = requires(Vec<T> y, Vec<T> (&c)[1]) {
  A::template series<0>(y, y, c);
};

template <class A, class T, int M> int own_series(const Vec<T>* x, double, int n, Vec<T>* c) {
  for (int l = 0; l < n; ++l) {
    const Vec<T> at[1] = {x[l]};
    Vec<T> y[1], kept[1], series[M + 1];
    A::template find<T>(at, y, kept);
    A::template series<M>(y[0], kept[0], series);
#pragma GCC unroll 16
    for (int m = 0; m <= M; ++m) c[m * strip_vectors + l] = series[m];
  }
  return M;
}

template <class A, class T> SeriesKernel<T> own_kernel(int M) {
  static constexpr auto kernels = []<int... m>(std::integer_sequence<int, m...>) {
    return std::array<SeriesKernel<T>, sizeof...(m)>{own_series<A, T, m>...};
  }
  (std::make_integer_sequence<int, max_derivative + 1>{});
  return kernels[std::size_t(M)];
}

}  // namespace

template <class T> SeriesKernel<T> series_kernel(int op, int M) {
  must_have_derivative(op, M);
  static_assert(series_slices == 3);
  return op % 3 == 0   ? series_kernel_in<T, 0>(op, M)
         : op % 3 == 1 ? series_kernel_in<T, 1>(op, M)
                       : series_kernel_in<T, 2>(op, M);
}

template <class T> SeriesKernel<T> block_series_kernel(int op, int M) {
  must_have_derivative(op, M);
  SeriesKernel<T> own = nullptr;
  visit_own(op, [&]<class A>() {
    if constexpr (has_series<A, T>) own = own_kernel<A, T>(M);
  });
  return own ? own : series_kernel<T>(op, M);
}

template SeriesKernel<float> series_kernel<float>(int op, int M);
template SeriesKernel<double> series_kernel<double>(int op, int M);
template SeriesKernel<float> block_series_kernel<float>(int, int);
template SeriesKernel<double> block_series_kernel<double>(int, int);

}  // namespace pinn::cpu
