#pragma once
#include <cstddef>

#include "autograd/cpu/block/series.h"

/// Kernels for the jets that nearly every problem has: a value, first derivatives h_1 ... h_F, then
/// channels whose cross terms are squares of those, (a b)_s = a_0 b_s + a_s b_0 + sum_i w[s][i] a_i
/// b_i. All that belongs to one vector of points stays in registers. There are at most as many
/// of these as first derivatives: more squares would be sums of one another.
namespace pinn::cpu {

inline constexpr int small_firsts = 3;

/// Rows of numbers, one row per feature; a stride of 0 repeats one feature for all.
template <class T> struct BlockRows {
  T* data = nullptr;
  std::size_t stride = 0;
};

/// A jet, [feature][channel][point], and the function f^(k) it is an argument of.
template <class T> struct SmallJet {
  std::size_t features, points;
  BlockRows<const T> h;
  const T* weights;        ///< [seconds][firsts]
  SeriesKernel<T> series;  ///< the op's, up to derivative k + 2; of a pullback k + 3
  double parameter;
  int k;
};
template <class T> struct SmallValue : SmallJet<T> {
  BlockRows<T> y;
  BlockRows<T> slope;  ///< [point]: f'(h_0), or what the op keeps instead of it; null for nothing
};
template <class T> struct SmallPullback : SmallJet<T> {
  BlockRows<const T> y, slope;  ///< as value left them: read by kept_pullback only
  BlockRows<const T> ybar;
  BlockRows<T> hbar;
};

/// Kernels of BlockJet; `kept_pullback` evaluates no function and is null for ops that cannot do
/// without.
template <class T> struct SmallKernels {
  void (*value)(const SmallValue<T>&);
  void (*pullback)(const SmallPullback<T>&);
  void (*kept_pullback)(const SmallPullback<T>&);
};
template <class T> SmallKernels<T> small_kernels(int op, int k, int firsts, int seconds);

}  // namespace pinn::cpu
