#pragma once
#include "autograd/cpu/vectors/kernel_vector.h"

/// Sine and cosine of vectors from one reduction of the argument. Included by the kernels of block
/// jets only.
namespace pinn::cpu {

/// pi / 2 as a sum of three numbers, each right to its last bit, and the series of (sin(r) - r) /
/// r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2 for |r| a little over pi / 4, by interpolation at
/// Chebyshev's points. For |x| up to `largest` the nearest multiple of pi / 2 is found well enough,
/// and what is left of pi / 2 is far below a unit in the last place of any r.
///
///   source   W. J. Cody, W. Waite, Software Manual for the Elementary Functions (1980)
template <class T> struct QuarterTurn;
template <> struct QuarterTurn<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr double largest = 8192;
  static constexpr std::array<double, 3> parts = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
  static constexpr std::array<double, 3> sine = {-0.166666646, 0.0083327436, -0.000195868828};
  static constexpr std::array<double, 3> cosine = {0.0416666646, -0.00138882984, 0.0000245469318};
};
template <> struct QuarterTurn<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr double largest = 0x1p30;
  static constexpr std::array<double, 3> parts = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                                  -0x1.f1976b7ed8fbcp-110};
  static constexpr std::array<double, 6> sine = {-0.166666666666666646,    0.00833333333333093655,
                                                 -0.000198412698367405276, 2.75573160931960644e-6,
                                                 -2.50511298959628065e-8,  1.59179889443187152e-10};
  static constexpr std::array<double, 6> cosine = {
      0.0416666666666666654,   -0.00138888888888873898, 0.0000248015872987543983,
      -2.75573172658766157e-7, 2.08761450491082804e-9,  -1.13825446234042903e-11};
};

/// For |x| <= largest, where fma rounds once, by |x| = k pi / 2 + r.
template <class T, int n>
[[gnu::always_inline]] inline void near_sine_and_cosine(const Vec<T> (&x)[n], Vec<T> (&sine)[n],
                                                        Vec<T> (&cosine)[n]) {
  using Q = QuarterTurn<T>;
  using Mask = typename Vec<T>::Mask;
  const Vec<T> magic(1.5 * double(1ll << Q::mantissa_bits));
  Vec<T> k[n], r[n], r2[n], s[n], c[n];
  Mask turns[n];
  side_by_side<n>([&](int l) {
    k[l] = fma(abs(x[l]), Vec<T>(0.63661977236758134308), magic);  // 2 / pi
    turns[l] = Mask(k[l].v);                                       // k in its last bits
    k[l] = k[l] - magic;
  });
  side_by_side<n>([&](int l) { r[l] = fma(k[l], Vec<T>(-Q::parts[0]), abs(x[l])); });
  side_by_side<n>([&](int l) { r[l] = fma(k[l], Vec<T>(-Q::parts[1]), r[l]); });
  side_by_side<n>([&](int l) { r[l] = fma(k[l], Vec<T>(-Q::parts[2]), r[l]); });
  side_by_side<n>([&](int l) { r2[l] = r[l] * r[l]; });
  polynomial<T>(Q::sine, r2, s);
  polynomial<T>(Q::cosine, r2, c);
  constexpr int to_sign = 8 * sizeof(T) - 2;  // bit 1 of a number
  const Mask sign = Mask(Vec<T>(-0.0).v);
  side_by_side<n>([&](int l) {
    s[l] = fma(r[l] * r2[l], s[l], r[l]);
    c[l] = fma(r2[l] * r2[l], c[l], fma(r2[l], Vec<T>(-0.5), Vec<T>(1)));
    const Mask odd = (turns[l] & 1) != 0;
    const Mask sine_sign = ((turns[l] << to_sign) ^ Mask(x[l].v)) & sign;
    const Mask cosine_sign = ((turns[l] + 1) << to_sign) & sign;
    sine[l] = typename Vec<T>::Native(Mask(select(odd, c[l], s[l]).v) ^ sine_sign);
    cosine[l] = typename Vec<T>::Native(Mask(select(odd, s[l], c[l]).v) ^ cosine_sign);
  });
}

/// Sine or cosine of any x, by the library; what near_sine_and_cosine has found stays.
template <class T> [[gnu::noinline, gnu::cold]] Vec<T> any_sine(Vec<T> x, Vec<T> found) {
  return select(abs(x) <= Vec<T>(QuarterTurn<T>::largest), found, sin(x));
}
template <class T> [[gnu::noinline, gnu::cold]] Vec<T> any_cosine(Vec<T> x, Vec<T> found) {
  return select(abs(x) <= Vec<T>(QuarterTurn<T>::largest), found, cos(x));
}

template <class T, int n>
[[gnu::always_inline]] inline void sine_and_cosine(const Vec<T> (&x)[n], Vec<T> (&sine)[n],
                                                   Vec<T> (&cosine)[n]) {
  if constexpr (!fma_is_exact) {
    side_by_side<n>([&](int l) { sine[l] = sin(x[l]), cosine[l] = cos(x[l]); });
  } else {
    near_sine_and_cosine<T>(x, sine, cosine);
    bool near = true;
    side_by_side<n>([&](int l) { near = near && all_within(x[l], QuarterTurn<T>::largest); });
    if (near) return;
    side_by_side<n>([&](int l) {
      sine[l] = any_sine(x[l], sine[l]);
      cosine[l] = any_cosine(x[l], cosine[l]);
    });
  }
}

}  // namespace pinn::cpu
