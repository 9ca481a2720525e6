#pragma once
#include <array>
#include <utility>

#include "autograd/cpu/block_vector.h"

/// Value and derivatives of activations at one vector, in registers. Included by the kernels of
/// block jets only.
namespace pinn::cpu {

/// What tanh needs to know of a number type: e^(2x) = 2^k e^(2r) where 2^k is made of bits and r =
/// x
/// - k ln(2) / 2. That half has two parts, the first with zeros at its end so that k times it is
/// exact; in float one part does, where fma rounds once: it is right to 3e-9. The series is that of
/// ((e^(2r) - 1) / 2 - r) / r^2 for |r| <= ln(2) / 4, by interpolation at Chebyshev's points;
/// e^(2r)
/// - 1 is right to a quarter of a unit in the last place before rounding.
template <class T> struct Exponential;
template <> struct Exponential<float> {
  static constexpr int mantissa_bits = 23, bias = 127;
  static constexpr double largest = 43.5, half_ln2_high = 0x1.63p-2,
                          half_ln2_low = -0x1.bd0105c610ca8p-14;
  static constexpr bool one_part = fma_is_exact;
  static constexpr std::array<double, 5> series = {1, 0.666663071635214932, 0.333332434950696422,
                                                   0.133811394237660274, 0.0445639197408944706};
};
template <> struct Exponential<double> {
  static constexpr int mantissa_bits = 52, bias = 1023;
  static constexpr double largest = 354, half_ln2_high = 0x1.62e42fe8p-2,
                          half_ln2_low = 0x1.e8e7bcd5e4f1ep-32;
  static constexpr bool one_part = false;
  static constexpr std::array<double, 10> series = {1,
                                                    0.666666666666666698,
                                                    0.333333333332991513,
                                                    0.133333333333280757,
                                                    0.0444444445353853324,
                                                    0.012698412712400677,
                                                    0.0031745947071572066,
                                                    0.000705466069695977917,
                                                    0.000141415208910085953,
                                                    0.0000257028495116668725};
};

/// f(l) for l = 0 ... n - 1. Vectors that go through a chain of operations side by side keep the
/// units busy, which one alone leaves waiting.
template <int n, class F> [[gnu::always_inline]] inline void side_by_side(F&& f) {
#pragma GCC unroll 8
  for (int l = 0; l < n; ++l) f(l);
}

/// q = (e^(2r) - 1) / 2 for |r| <= ln(2) / 4. Terms go in pairs, which wait for each other half as
/// long.
template <class T, int n>
[[gnu::always_inline]] inline void half_expm1_near_0(const Vec<T> (&r)[n], Vec<T> (&q)[n]) {
  constexpr auto& c = Exponential<T>::series;
  constexpr int terms = int(c.size());
  Vec<T> r2[n];
  const auto pair = [&](int l, int i) { return fma(Vec<T>(c[i + 1]), r[l], Vec<T>(c[i])); };
  side_by_side<n>([&](int l) { r2[l] = r[l] * r[l]; });
  side_by_side<n>(
      [&](int l) { q[l] = terms % 2 == 1 ? Vec<T>(c[terms - 1]) : pair(l, terms - 2); });
#pragma GCC unroll 16
  for (int i = (terms - 3) / 2 * 2; i >= 0; i -= 2)
    side_by_side<n>([&](int l) { q[l] = fma(q[l], r2[l], pair(l, i)); });
  side_by_side<n>([&](int l) { q[l] = fma(r2[l], q[l], r[l]); });
}

/// size = |tanh(x)| and rest = 1 - |tanh(x)|, from v = (exp(2|x|) - 1) / 2: size = v / (1 + v),
/// rest = 1 / (1 + v), so that neither loses digits anywhere.
template <class T, int n>
[[gnu::always_inline]] inline void tanh_parts(const Vec<T> (&x)[n], Vec<T> (&size)[n],
                                              Vec<T> (&rest)[n]) {
  using E = Exponential<T>;
  using Mask = typename Vec<T>::Mask;
  const Vec<T> magic(1.5 * double(1ll << E::mantissa_bits) + E::bias);
  Vec<T> t[n], shifted[n], power[n], r[n], q[n];
  side_by_side<n>([&](int l) { t[l] = at_most(abs(x[l]), Vec<T>(E::largest)); });
  side_by_side<n>([&](int l) {
    shifted[l] = fma(t[l], Vec<T>(2.88539008177792681472), magic);  // 2 / ln 2
  });
  side_by_side<n>([&](int l) {
    power[l] = typename Vec<T>::Native(Mask(shifted[l].v) << E::mantissa_bits);  // 2^k
    shifted[l] = shifted[l] - magic;                                             // k
  });
  if constexpr (E::one_part) {
    constexpr double half_ln2 = E::half_ln2_high + E::half_ln2_low;
    side_by_side<n>([&](int l) { r[l] = fma(shifted[l], Vec<T>(-half_ln2), t[l]); });
  } else {
    side_by_side<n>([&](int l) { r[l] = fma(shifted[l], Vec<T>(-E::half_ln2_high), t[l]); });
    side_by_side<n>([&](int l) { r[l] = fma(shifted[l], Vec<T>(-E::half_ln2_low), r[l]); });
  }
  half_expm1_near_0<T>(r, q);
  side_by_side<n>([&](int l) {
    const Vec<T> v = fma(power[l], q[l], fma(power[l], Vec<T>(0.5), Vec<T>(-0.5)));
    rest[l] = reciprocal(v + Vec<T>(1));
    size[l] = v * rest[l];
  });
}

/// y = tanh(x) and its slope s = (1 - |y|) (1 + |y|).
template <class T, int n>
[[gnu::always_inline]] inline void tanh_and_slope(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                  Vec<T> (&s)[n]) {
  using Mask = typename Vec<T>::Mask;
  Vec<T> size[n], rest[n];
  tanh_parts<T>(x, size, rest);
  side_by_side<n>([&](int l) {
    const Mask sign = Mask(x[l].v) & Mask(Vec<T>(-0.0).v);
    y[l] = typename Vec<T>::Native(Mask(size[l].v) | sign);
    s[l] = fma(rest[l], size[l], rest[l]);
  });
}

/// y = sigmoid(x) and its slope s, from the smaller of y and 1 - y: (1 - tanh(|x| / 2)) / 2. Where
/// that is as small as a number can be, it is 0.
template <class T, int n>
[[gnu::always_inline]] inline void sigmoid_and_slope(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                     Vec<T> (&s)[n]) {
  Vec<T> half[n], size[n], rest[n];
  side_by_side<n>([&](int l) { half[l] = Vec<T>(0.5) * x[l]; });
  tanh_parts<T>(half, size, rest);
  side_by_side<n>([&](int l) {
    const Vec<T> low =
        select(Vec<T>(Exponential<T>::largest) < abs(half[l]), Vec<T>(0), Vec<T>(0.5) * rest[l]);
    const Vec<T> high = Vec<T>(1) - low;
    y[l] = select(x[l] < Vec<T>(0), low, high);
    s[l] = low * high;
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

// Activations by their own formulas. `find` gives y = f(x) and what is kept beside it, `fill` takes
// the derivatives from these two, by the op's own equation: f[m] = f^(m+1)(x) / m! for m = 0 ...
// order <= 2.

/// y' = 1 - y^2; the slope is kept.
struct OwnTanh {
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&slope)[n]) {
    tanh_and_slope<T>(x, y, slope);
  }
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&f)[order + 1]) {
    f[0] = slope;
    if constexpr (order > 0) f[1] = Vec<T>(-2) * y * slope;
    if constexpr (order > 1) f[2] = fma(Vec<T>(3) * y, y, Vec<T>(-1)) * slope;
  }
};

/// y' = y - y^2; the slope is kept.
struct OwnSigmoid {
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&slope)[n]) {
    sigmoid_and_slope<T>(x, y, slope);
  }
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&f)[order + 1]) {
    f[0] = slope;
    if constexpr (order > 0) f[1] = fma(Vec<T>(-2), y, Vec<T>(1)) * slope;
    if constexpr (order > 1) f[2] = fma(fma(Vec<T>(3), y, Vec<T>(-3)), y, Vec<T>(0.5)) * slope;
  }
};

/// y = x s with s = sigmoid(x), which is kept: x s' = y (1 - s), so that x is not needed again.
struct OwnSilu {
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&s)[n]) {
    Vec<T> slope[n];
    sigmoid_and_slope<T>(x, s, slope);
    side_by_side<n>([&](int l) { y[l] = x[l] * s[l]; });
  }
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> s, Vec<T> (&f)[order + 1]) {
    const Vec<T> rest = Vec<T>(1) - s, slope = s * rest, x_slope = y * rest;
    const Vec<T> bend = rest - s;  // s'' = s' bend
    f[0] = s + x_slope;
    if constexpr (order > 0) f[1] = fma(x_slope, bend, Vec<T>(2) * slope);
    if constexpr (order > 1)
      f[2] = fma(x_slope, fma(Vec<T>(-3), slope, Vec<T>(0.5)), Vec<T>(1.5) * slope * bend);
  }
};

/// y' = s = sigmoid(x), which is kept: y = max(x, 0) + log(1 + exp(-|x|)).
struct OwnSoftplus {
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&s)[n]) {
    const Vec<T> zero(0), one(1);
    Vec<T> slope[n];
    sigmoid_and_slope<T>(x, s, slope);
    side_by_side<n>([&](int l) {
      const auto negative = x[l] < zero;
      const Vec<T> low = select(negative, s[l], one - s[l]);
      y[l] = select(negative, zero, x[l]) + log1p(low * reciprocal(one - low));
    });
  }
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T>, Vec<T> s, Vec<T> (&f)[order + 1]) {
    const Vec<T> rest = Vec<T>(1) - s, slope = s * rest;
    f[0] = s;
    if constexpr (order > 0) f[1] = slope;
    if constexpr (order > 1) f[2] = Vec<T>(0.5) * slope * (rest - s);
  }
};

/// y'' = -y: sin and cos. The slope is kept.
struct Oscillation {
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&f)[order + 1]) {
    f[0] = slope;
    if constexpr (order > 0) f[1] = -y;
    if constexpr (order > 1) f[2] = Vec<T>(-0.5) * slope;
  }
};

}  // namespace pinn::cpu
