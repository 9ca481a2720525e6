#pragma once
#include <array>
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

/// f(l) for l = 0 ... n - 1. Vectors that go through a chain of operations side by side keep the
/// units busy, which one alone leaves waiting.
template <int n, class F> [[gnu::always_inline]] inline void side_by_side(F&& f) {
#pragma GCC unroll 8
  for (int l = 0; l < n; ++l) f(l);
}

/// q = e^r - 1 for |r| <= ln(2) / 2 to half a unit in the last place: r + r^2 (1/2! + r/3! + ...),
/// in pairs of terms, which wait for each other half as long.
template <class T, int n>
[[gnu::always_inline]] inline void expm1_near_0(const Vec<T> (&r)[n], Vec<T> (&q)[n]) {
  constexpr int degree = Exponential<T>::degree;
  static_assert(degree % 2 == 1);
  constexpr auto c = [] {
    std::array<double, degree + 1> inverse_factorial = {1};
    for (int i = 1; i <= degree; ++i) inverse_factorial[i] = inverse_factorial[i - 1] / i;
    return inverse_factorial;
  }();
  Vec<T> r2[n];
  side_by_side<n>([&](int l) { r2[l] = r[l] * r[l]; });
  side_by_side<n>([&](int l) { q[l] = fma(Vec<T>(c[degree]), r[l], Vec<T>(c[degree - 1])); });
#pragma GCC unroll 16
  for (int i = degree - 3; i >= 2; i -= 2) {
    Vec<T> pair[n];
    side_by_side<n>([&](int l) { pair[l] = fma(Vec<T>(c[i + 1]), r[l], Vec<T>(c[i])); });
    side_by_side<n>([&](int l) { q[l] = fma(q[l], r2[l], pair[l]); });
  }
  side_by_side<n>([&](int l) { q[l] = fma(r2[l], q[l], r[l]); });
}

/// y = tanh(x) and its slope s, from u = exp(-2|x|) - 1: y = -u / (2 + u) and s = 4 (1 + u) / (2 +
/// u)^2, so that neither loses digits anywhere.
template <class T, int n>
[[gnu::always_inline]] inline void tanh_and_slope(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                  Vec<T> (&s)[n]) {
  using E = Exponential<T>;
  using Mask = typename Vec<T>::Mask;
  const Vec<T> magic(1.5 * double(1ll << E::mantissa_bits) + E::bias);
  Vec<T> t[n], shifted[n], power[n], r[n], p[n];
  side_by_side<n>([&](int l) { t[l] = at_least(Vec<T>(-2) * abs(x[l]), Vec<T>(E::lowest)); });
  side_by_side<n>([&](int l) {
    shifted[l] = fma(t[l], Vec<T>(1.44269504088896340736), magic);  // 1 / ln 2
  });
  side_by_side<n>([&](int l) {
    power[l] = typename Vec<T>::Native(Mask(shifted[l].v) << E::mantissa_bits);  // 2^k
    shifted[l] = shifted[l] - magic;                                             // k
  });
  side_by_side<n>([&](int l) { r[l] = fma(shifted[l], Vec<T>(-E::ln2_high), t[l]); });
  side_by_side<n>([&](int l) { r[l] = fma(shifted[l], Vec<T>(-E::ln2_low), r[l]); });
  expm1_near_0<T>(r, p);
  side_by_side<n>([&](int l) {
    const Vec<T> u = fma(power[l], p[l], power[l] - Vec<T>(1)), e = fma(power[l], p[l], power[l]);
    const Vec<T> inverse = reciprocal(Vec<T>(2) + u);
    const Vec<T> size = abs(u * inverse);
    const Mask sign = Mask(x[l].v) & Mask(Vec<T>(-0.0).v);
    y[l] = typename Vec<T>::Native(Mask(size.v) | sign);
    s[l] = Vec<T>(4) * e * (inverse * inverse);
  });
}

// Series from value and slope by the op's own recurrence: c[m] = f^(m)(x) / m!, m = 0 ... M.

/// Half of the coefficient m of y^2, for m > 0.
template <int m, class T, int size>
[[gnu::always_inline]] inline Vec<T> half_square_at(const Vec<T> (&c)[size]) {
  Vec<T> half = c[0] * c[m];
#pragma GCC unroll 16
  for (int j = 1; 2 * j < m; ++j) half = fma(c[j], c[m - j], half);
  if constexpr (m % 2 == 1) return half;
  return fma(Vec<T>(0.5) * c[m / 2], c[m / 2], half);
}

/// y' = 1 - y^2
struct TanhSeries {
  template <int M, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    c[0] = y;
    if constexpr (M > 0) c[1] = slope;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((c[i + 2] = Vec<T>(-2.0 / (i + 2)) * half_square_at<i + 1>(c)), ...);
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
      ((c[i + 2] = Vec<T>(1.0 / (i + 2)) * fma(Vec<T>(-2), half_square_at<i + 1>(c), c[i + 1])),
       ...);
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
