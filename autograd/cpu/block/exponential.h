#pragma once
#include "autograd/cpu/vectors/kernel_vector.h"

/// Functions made of one exponential, with what their derivatives need, at n vectors side by side.
/// Included by the kernels of block jets only.
namespace pinn::cpu {

/// How e^(2x) is found: e^(2x) = 2^k e^(2r) where 2^k is made of bits and r = x - k ln(2) / 2. That
/// half has two parts, the first with zeros at its end so that k times it is exact. Near 0 one part
/// does in float, where fma rounds once: it is right to 3e-9. The series is that of ((e^(2r) - 1) /
/// 2 - r) / r^2 for |r| <= ln(2) / 4, by interpolation at Chebyshev's points; e^(2r) - 1 is right
/// to a quarter of a unit in the last place before rounding.
template <class T> struct Exponential;
template <> struct Exponential<float> {
  static constexpr int mantissa_bits = 23, bias = 127;
  static constexpr double largest = 43.5, infinite = 44.5, half_ln2_high = 0x1.63p-2,
                          half_ln2_low = -0x1.bd0105c610ca8p-14;
  static constexpr bool one_part = fma_is_exact;
  static constexpr std::array<double, 5> series = {1, 0.666663071635214932, 0.333332434950696422,
                                                   0.133811394237660274, 0.0445639197408944706};
};
template <> struct Exponential<double> {
  static constexpr int mantissa_bits = 52, bias = 1023;
  static constexpr double largest = 354, infinite = 355, half_ln2_high = 0x1.62e42fe8p-2,
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

/// power = 2^k and q = (e^(2r) - 1) / 2, so that e^(2t) = power (1 + 2q), for t whose power is a
/// normal number; what is no number stays so in q. Where large |t| matter, too (`far`), power is
/// 2^(k-1), which is finite as long as e^(2t) is.
template <class T, int n, bool far = false>
[[gnu::always_inline]] inline void power_and_half_expm1(const Vec<T> (&t)[n], Vec<T> (&power)[n],
                                                        Vec<T> (&q)[n]) {
  using E = Exponential<T>;
  using Mask = typename Vec<T>::Mask;
  const Vec<T> magic(1.5 * double(1ll << E::mantissa_bits) + E::bias - far);
  Vec<T> k[n], r[n];
  side_by_side<n>([&](int l) {
    k[l] = fma(t[l], Vec<T>(2.88539008177792681472), magic);  // 2 / ln 2
    power[l] = typename Vec<T>::Native(Mask(k[l].v) << E::mantissa_bits);
  });
  side_by_side<n>([&](int l) { k[l] = k[l] - magic; });
  if constexpr (E::one_part && !far) {
    constexpr double half_ln2 = E::half_ln2_high + E::half_ln2_low;
    side_by_side<n>([&](int l) { r[l] = fma(k[l], Vec<T>(-half_ln2), t[l]); });
  } else {
    side_by_side<n>([&](int l) { r[l] = fma(k[l], Vec<T>(-E::half_ln2_high), t[l]); });
    side_by_side<n>([&](int l) { r[l] = fma(k[l], Vec<T>(-E::half_ln2_low), r[l]); });
  }
  polynomial<T>(E::series, r, q);
  side_by_side<n>([&](int l) { q[l] = fma(r[l] * r[l], q[l], r[l]); });
}

/// y = e^x; 0 where that is as small as a number can be.
template <class T, int n>
[[gnu::always_inline]] inline void exponential(const Vec<T> (&x)[n], Vec<T> (&y)[n]) {
  using E = Exponential<T>;
  const Vec<T> least(-E::largest), most(E::infinite);
  Vec<T> half[n], t[n], power[n], q[n];
  side_by_side<n>([&](int l) {
    half[l] = Vec<T>(0.5) * x[l];
    t[l] = at_most(half[l], most);
    t[l] = select(t[l] < least, least, t[l]);
  });
  power_and_half_expm1<T, n, true>(t, power, q);
  side_by_side<n>([&](int l) {
    const Vec<T> e = power[l] * fma(Vec<T>(4), q[l], Vec<T>(2));
    y[l] = select(half[l] < least, Vec<T>(0), e);
  });
}

/// size = |tanh(x)| and rest = 1 - |tanh(x)|, from v = (exp(2|x|) - 1) / 2: size = v / (1 + v),
/// rest = 1 / (1 + v), so that neither loses digits anywhere.
template <class T, int n>
[[gnu::always_inline]] inline void tanh_parts(const Vec<T> (&x)[n], Vec<T> (&size)[n],
                                              Vec<T> (&rest)[n]) {
  Vec<T> t[n], power[n], q[n];
  side_by_side<n>([&](int l) { t[l] = at_most(abs(x[l]), Vec<T>(Exponential<T>::largest)); });
  power_and_half_expm1<T>(t, power, q);
  side_by_side<n>([&](int l) {
    const Vec<T> half(0.5), v = fma(power[l], q[l], fma(power[l], half, -half));
    rest[l] = reciprocal(fma(power[l], q[l], fma(power[l], half, half)));  // not waiting for v
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

/// low = sigmoid(-|x|) = (1 - tanh(|x| / 2)) / 2. Where that is as small as a number can be, it
/// is 0.
template <class T, int n>
[[gnu::always_inline]] inline void low_sigmoid(const Vec<T> (&x)[n], Vec<T> (&low)[n]) {
  Vec<T> half[n], size[n], rest[n];
  side_by_side<n>([&](int l) { half[l] = Vec<T>(0.5) * x[l]; });
  tanh_parts<T>(half, size, rest);
  side_by_side<n>([&](int l) {
    low[l] =
        select(Vec<T>(Exponential<T>::largest) < abs(half[l]), Vec<T>(0), Vec<T>(0.5) * rest[l]);
  });
}

/// y = sigmoid(x) and its slope s, from the smaller of y and 1 - y.
template <class T, int n>
[[gnu::always_inline]] inline void sigmoid_and_slope(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                     Vec<T> (&s)[n]) {
  Vec<T> low[n];
  low_sigmoid<T>(x, low);
  side_by_side<n>([&](int l) {
    const Vec<T> high = Vec<T>(1) - low[l];
    y[l] = select(x[l] < Vec<T>(0), low[l], high);
    s[l] = low[l] * high;
  });
}

/// (2 atanh(s) - 2 s) / s^3 as a series of s^2 for |s| <= 1/3, by interpolation at Chebyshev's
/// points.
template <class T> struct Logarithm;
template <> struct Logarithm<float> {
  static constexpr std::array<double, 4> series = {0.666666403366992398, 0.400075606449112058,
                                                   0.282366198053104814, 0.268514980228371518};
};
template <> struct Logarithm<double> {
  static constexpr std::array<double, 10> series = {
      0.666666666666666586,  0.400000000000145827, 0.285714285671087572, 0.22222222717427863,
      0.181817894361328582,  0.153855700649586231, 0.133141442096549362, 0.120010728095907125,
      0.0880073848614467388, 0.161640456119435322};
};

/// y = log(1 + e^x) = max(x, 0) - log(1 - low) and its slope s = sigmoid(x), where low =
/// sigmoid(-|x|) and -log(1 - low) = 2 atanh(low / (2 - low)).
template <class T, int n>
[[gnu::always_inline]] inline void softplus_and_slope(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                      Vec<T> (&s)[n]) {
  const Vec<T> zero(0), one(1), two(2);
  Vec<T> low[n], a[n], a2[n], q[n];
  low_sigmoid<T>(x, low);
  side_by_side<n>([&](int l) {
    a[l] = low[l] * reciprocal(two - low[l]);
    a2[l] = a[l] * a[l];
  });
  polynomial<T>(Logarithm<T>::series, a2, q);
  side_by_side<n>([&](int l) {
    const auto negative = x[l] < zero;
    const Vec<T> log = fma(a[l] * a2[l], q[l], two * a[l]);
    y[l] = select(negative, zero, x[l]) + log;
    s[l] = select(negative, low[l], one - low[l]);
  });
}

}  // namespace pinn::cpu
