#pragma once
#include <cstdint>

#include "autograd/cuda/kernels/launch.cuh"
#include "autograd/ops/jet_compose.h"
#include "autograd/ops/jet_table.h"
#include "autograd/ops/series.h"
#include "autograd/ops/unary.h"

/// The one part of a function of jets that is there once for each op: its Taylor coefficients. All
/// else follows from them, so that 25 ops are not 25 times the rest to compile.
namespace pinn::cuda {

/// Arguments of the threads that find Taylor coefficients.
template <class T> struct Coefficients {
  double parameter;
  int k, order;                            ///< wanted are f^(k + m) / m!, m = 0 ... order
  std::int64_t channels, features, count;  ///< of h; points times features
  const T* h;
  T* c;  ///< [order + 2, count]; the last row is the highest m that is not 0 of any h
};

/// f at one feature of one point.
template <class Op, class T, int M> struct FindCoefficients {
  Coefficients<T> all;

  HD void operator()(std::int64_t e) const {
    const std::int64_t first = e / all.features * all.channels * all.features + e % all.features;
    const auto series = apply<Op>(Series<T, M>::line(all.h[first]), all.parameter);
    T* c = all.c + e;
    for (int m = 0; m <= all.order; ++m, c += all.count)
      *c = T(series_factor(all.k, m)) * series.c[all.k + m];
    *c = T(series.degree - all.k);
  }
};

template <int M, class T>
void find_coefficients_up_to(Gpu& gpu, int op, const Coefficients<T>& wanted) {
  visit_unary(op,
              [&]<class Op>() { for_each(gpu, wanted.count, FindCoefficients<Op, T, M>{wanted}); });
}

/// Begins the kernel of an op. The kernels are many, so each dtype is a file of its own.
template <class T> void find_coefficients(Gpu& gpu, int op, const Coefficients<T>& wanted) {
  if (wanted.k + wanted.order <= 4) return find_coefficients_up_to<4>(gpu, op, wanted);
  find_coefficients_up_to<max_derivative>(gpu, op, wanted);
}
extern template void find_coefficients<float>(Gpu&, int, const Coefficients<float>&);
extern template void find_coefficients<double>(Gpu&, int, const Coefficients<double>&);

}  // namespace pinn::cuda
