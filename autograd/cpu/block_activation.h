#pragma once
#include <utility>

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

/// e^r - 1 for |r| <= ln(2) / 2 to half a unit in the last place: r + r^2 (1/2! + r/3! + ...), in
/// pairs of terms, which wait for each other half as long.
template <class T> [[gnu::always_inline]] inline Vec<T> expm1_near_0(Vec<T> r) {
  constexpr int degree = Exponential<T>::degree;
  static_assert(degree % 2 == 1);
  double c[degree + 1] = {1};
  for (int i = 1; i <= degree; ++i) c[i] = c[i - 1] / i;
  const Vec<T> r2 = r * r;
  Vec<T> q = fma(Vec<T>(c[degree]), r, Vec<T>(c[degree - 1]));
#pragma GCC unroll 16
  for (int i = degree - 3; i >= 2; i -= 2) q = fma(q, r2, fma(Vec<T>(c[i + 1]), r, Vec<T>(c[i])));
  return fma(r2, q, r);
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

/// The coefficient m of y^2, for m > 0.
template <int m, class T, int size>
[[gnu::always_inline]] inline Vec<T> square_at(const Vec<T> (&c)[size]) {
  Vec<T> half = c[0] * c[m];
#pragma GCC unroll 16
  for (int j = 1; 2 * j < m; ++j) half = fma(c[j], c[m - j], half);
  if constexpr (m % 2 == 1) return half + half;
  return fma(c[m / 2], c[m / 2], half + half);
}

/// y' = 1 - y^2
struct TanhSeries {
  template <int M, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    c[0] = y;
    if constexpr (M > 0) c[1] = slope;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((c[i + 2] = Vec<T>(-1.0 / (i + 2)) * square_at<i + 1>(c)), ...);
    }
    (std::make_integer_sequence < int, M<2 ? 0 : M - 1>{});
  }
};

/// y' = y - y^2
struct SigmoidSeries {
  template <int M, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    c[0] = y;
    c[1] = slope;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((c[i + 2] = Vec<T>(1.0 / (i + 2)) * (c[i + 1] - square_at<i + 1>(c))), ...);
    }
    (std::make_integer_sequence<int, M - 1>{});
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

}  // namespace pinn::cpu
