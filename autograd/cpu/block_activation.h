#pragma once
#include "autograd/cpu/block_vector.h"

/// Value and derivatives of activations at one vector, in registers. Included by the kernels of
/// block jets only.
namespace pinn::cpu {

/// What exp needs to know of a number type: 2^n is made of bits, and ln 2 of two parts, the first
/// with zeros at its end so that n times it is exact.
template <class T> struct Exponential;
template <> struct Exponential<float> {
  static constexpr int mantissa_bits = 23, bias = 127, degree = 7;
  static constexpr double lowest = -87, ln2_high = 0x1.63p-1, ln2_low = -0x1.bd0105c610ca8p-13;
};
template <> struct Exponential<double> {
  static constexpr int mantissa_bits = 52, bias = 1023, degree = 13;
  static constexpr double lowest = -708, ln2_high = 0x1.62e42feep-1,
                          ln2_low = 0x1.a39ef35793c76p-33;
};

/// e^r - 1 for |r| <= ln(2) / 2: r + r^2/2! + ... + r^degree/degree!, half a unit in the last
/// place.
template <class T> [[gnu::always_inline]] inline Vec<T> expm1_near_0(Vec<T> r) {
  double coefficient[Exponential<T>::degree + 1] = {1};
  for (int i = 1; i <= Exponential<T>::degree; ++i) coefficient[i] = coefficient[i - 1] / i;
  Vec<T> q(coefficient[Exponential<T>::degree]);
#pragma GCC unroll 16
  for (int i = Exponential<T>::degree - 1; i >= 2; --i) q = fma(q, r, Vec<T>(coefficient[i]));
  return fma(r * r, q, r);
}

/// tanh(x) and its slope, from u = exp(-2|x|) - 1: y = -u / (2 + u) and s = 4 (1 + u) / (2 + u)^2,
/// so that neither loses digits anywhere.
template <class T> struct ValueAndSlope { Vec<T> y, s; };
template <class T> [[gnu::always_inline]] inline ValueAndSlope<T> tanh_and_slope(Vec<T> x) {
  using E = Exponential<T>;
  using Mask = typename Vec<T>::Mask;
  const Vec<T> magic(1.5 * double(1ll << E::mantissa_bits) + E::bias);
  Vec<T> t = Vec<T>(-2) * abs(x);
  t = select(t < Vec<T>(E::lowest), Vec<T>(E::lowest), t);
  const Vec<T> shifted = fma(t, Vec<T>(1.44269504088896340736), magic);  // 1 / ln 2
  const Vec<T> n = shifted - magic;
  const Vec<T> power = typename Vec<T>::Native(Mask(shifted.v) << E::mantissa_bits);  // 2^n
  const Vec<T> r = fma(n, Vec<T>(-E::ln2_low), fma(n, Vec<T>(-E::ln2_high), t));
  const Vec<T> p = expm1_near_0(r);
  const Vec<T> u = fma(power, p, power - Vec<T>(1)), e = fma(power, p, power);
  const Vec<T> inverse = Vec<T>(1) / (Vec<T>(2) + u);
  const Vec<T> size = abs(u * inverse);
  const Mask sign = Mask(x.v) & Mask(Vec<T>(-0.0).v);
  return {typename Vec<T>::Native(Mask(size.v) | sign), Vec<T>(4) * e * (inverse * inverse)};
}

// Series from value and slope by the op's own recurrence: c[m] = f^(m)(x) / m!, m = 0 ... M.

/// y' = s, s' = -2 y s.
struct TanhSeries {
  template <int M, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    Vec<T> s[M + 1];
    c[0] = y;
    s[0] = slope;
#pragma GCC unroll 16
    for (int m = 1; m <= M; ++m) {
      c[m] = m == 1 ? s[0] : Vec<T>(1.0 / m) * s[m - 1];
      if (m == M) break;
      Vec<T> sum = c[0] * s[m - 1];
#pragma GCC unroll 16
      for (int j = 1; j < m; ++j) sum = fma(c[j], s[m - 1 - j], sum);
      s[m] = Vec<T>(-2.0 / m) * sum;
    }
  }
};

/// y'' = -y: sin and cos.
struct OscillationSeries {
  template <int M, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    c[0] = y;
    c[1] = slope;
#pragma GCC unroll 16
    for (int m = 2; m <= M; ++m) c[m] = Vec<T>(-1.0 / (m * (m - 1))) * c[m - 2];
  }
};

/// y' = s, s' = s (1 - 2 y).
struct SigmoidSeries {
  template <int M, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    Vec<T> s[M + 1], z[M + 1];  // z = 1 - 2 y
    c[0] = y;
    s[0] = slope;
    z[0] = Vec<T>(1) - (y + y);
#pragma GCC unroll 16
    for (int m = 1; m <= M; ++m) {
      c[m] = m == 1 ? s[0] : Vec<T>(1.0 / m) * s[m - 1];
      z[m] = Vec<T>(-2) * c[m];
      if (m == M) break;
      Vec<T> sum = z[0] * s[m - 1];
#pragma GCC unroll 16
      for (int j = 1; j < m; ++j) sum = fma(z[j], s[m - 1 - j], sum);
      s[m] = m == 1 ? sum : Vec<T>(1.0 / m) * sum;
    }
  }
};

}  // namespace pinn::cpu
