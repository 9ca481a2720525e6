#pragma once
#include "autograd/cpu/block/exponential.h"
#include "autograd/ops/normal_tail.h"

/// Included by the kernels of block jets only.
namespace pinn::cpu {

/// `below`, the normal distribution function of x, and its density from one exponential; t is |x|,
/// but no larger than where the density becomes 0.
template <class T, int n>
[[gnu::always_inline]] inline void normal_distribution(const Vec<T> (&x)[n], Vec<T> (&t)[n],
                                                       Vec<T> (&below)[n], Vec<T> (&density)[n]) {
  using N = NormalTail<T>;
  const Vec<T> largest(N::largest);
  Vec<T> square[n], exponent[n], power[n], q[n], above[n], under[n];
  side_by_side<n>([&](int l) {
    t[l] = at_most(abs(x[l]), largest);
    square[l] = t[l] * t[l];
    exponent[l] = Vec<T>(-0.25) * square[l];
  });
  power_and_half_expm1<T, n, true>(exponent, power, q);
  polynomial<T>(N::above, t, above);
  polynomial<T>(N::below, t, under);
  side_by_side<n>([&](int l) {
    Vec<T> e = power[l] * fma(Vec<T>(4), q[l], Vec<T>(2));
    const Vec<T> rounded = fma(t[l], t[l], -square[l]);  // off t^2, which tells for large t
    e = fma(e, Vec<T>(-0.5) * rounded, e);
    e = select(largest < abs(x[l]), Vec<T>(0), e);
    const Vec<T> tail = above[l] * reciprocal(under[l]) * e;
    below[l] = select(x[l] < Vec<T>(0), tail, Vec<T>(1) - tail);
    density[l] = Vec<T>(0.39894228040143267794) * e;  // 1 / sqrt(2 pi)
  });
}

}  // namespace pinn::cpu
