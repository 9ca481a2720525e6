#pragma once
#include <cstddef>

#include "autograd/cpu/block_series.h"

/// Kernels for the jets that nearly every problem has: a value, first derivatives h_1 ... h_F, then
/// channels whose cross terms are squares of those, (a b)_s = a_0 b_s + a_s b_0 + sum_i w[s][i] a_i
/// b_i. All that belongs to one vector of points stays in registers.
namespace pinn::cpu {

inline constexpr int small_firsts = 3, small_seconds = 3;

/// One feature of a jet, [channel][point], and the function f^(k) it is an argument of.
template <class T> struct SmallJet {
  std::size_t points;
  const T* h;
  const T* weights;        ///< [seconds][firsts]
  SeriesKernel<T> series;  ///< the op's, up to derivative k + 2; of a pullback k + 3
  double parameter;
  int k;
};
template <class T> struct SmallValue : SmallJet<T> {
  T* y;
  T* slope;  ///< [point]: f'(h_0), or what the op keeps instead of it; null for nothing
};
template <class T> struct SmallPullback : SmallJet<T> {
  const T* y;  ///< as value left them: read by kept_pullback only
  const T* slope;
  const T* ybar;
  T* hbar;
  bool add;  ///< hbar += the result
};

/// What BlockJet does for one feature; `kept_pullback` evaluates no function and is null for ops
/// that cannot do without.
template <class T> struct SmallKernels {
  void (*value)(const SmallValue<T>&);
  void (*pullback)(const SmallPullback<T>&);
  void (*kept_pullback)(const SmallPullback<T>&);
};
template <class T> SmallKernels<T> small_kernels(int op, int k, int firsts, int seconds);

}  // namespace pinn::cpu
