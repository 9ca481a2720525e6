#include "autograd/cpu/block_series.h"

#include <array>
#include <utility>

#include "autograd/cpu/block_activation.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {
namespace {

template <class T, int M> int tanh_series(const Vec<T>* x, double, int n, Vec<T>* c) {
  for (int l = 0; l < n; ++l) {
    const Vec<T> at[1] = {x[l]};
    Vec<T> y[1], s[1], series[M + 1];
    tanh_and_slope<T>(at, y, s);
    TanhSeries::fill<M>(y[0], s[0], series);
#pragma GCC unroll 16
    for (int m = 0; m <= M; ++m) c[m * strip_vectors + l] = series[m];
  }
  return M;
}

template <class T, int... m> SeriesKernel<T> tanh_kernel(int M, std::integer_sequence<int, m...>) {
  static constexpr std::array<SeriesKernel<T>, sizeof...(m)> kernels{tanh_series<T, m>...};
  return kernels[std::size_t(M)];
}

}  // namespace

template <class T> SeriesKernel<T> block_series_kernel(int op, int M) {
  if (op != unary_id<op::Tanh> || M > max_derivative) return series_kernel<T>(op, M);
  return tanh_kernel<T>(M, std::make_integer_sequence<int, max_derivative + 1>{});
}

template SeriesKernel<float> block_series_kernel<float>(int, int);
template SeriesKernel<double> block_series_kernel<double>(int, int);

}  // namespace pinn::cpu
