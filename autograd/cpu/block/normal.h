#pragma once
#include "autograd/cpu/block/exponential.h"

/// Included by the kernels of block jets only.
namespace pinn::cpu {

/// The normal distribution function of -t as above(t) / below(t) e^(-t^2 / 2) for 0 <= t <=
/// largest, beyond which it is as small as a number can be: the rational function of least relative
/// error, 2^-54 and 2^-27. All coefficients are positive, so that no digits are lost.
template <class T> struct NormalTail;
template <> struct NormalTail<float> {
  static constexpr double largest = 13.1;
  static constexpr std::array<double, 5> above = {0.500000002476338894, 0.435666368880501054,
                                                  0.181291578249100418, 0.0399789416547529628,
                                                  0.00401938336733588376};
  static constexpr std::array<double, 6> below = {1,
                                                  1.66921765573455934,
                                                  1.1944220263440785,
                                                  0.464340167017385459,
                                                  0.100219731653598523,
                                                  0.0100749566679938423};
};
template <> struct NormalTail<double> {
  static constexpr double largest = 37.6;
  static constexpr std::array<double, 10> above = {
      0.499999999999999976,   0.774205517128475943,    0.593077873621790021,
      0.288640963536920944,   0.097388913957500084,    0.0235275846642536196,
      0.00406916971598790702, 0.000487504236936464291, 0.0000369895627323738574,
      1.37391689461898444e-6};
  static constexpr std::array<double, 11> below = {1,
                                                   2.3462955950598077,
                                                   2.55822877762187792,
                                                   1.71126689447382304,
                                                   0.780081217102235413,
                                                   0.254132250848006718,
                                                   0.0601900135066564929,
                                                   0.0102926149363109,
                                                   0.0012254358034561254,
                                                   0.0000927190838088876823,
                                                   3.44389893505651555e-6};
};

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
