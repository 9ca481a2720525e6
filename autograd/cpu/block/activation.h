#pragma once
#include <type_traits>
#include <utility>

#include "autograd/cpu/block/exponential.h"
#include "autograd/cpu/block/normal.h"
#include "autograd/cpu/block/sine.h"
#include "autograd/ops/unary.h"

/// Values and derivatives of activations in registers. Included by the kernels of block jets only.
namespace pinn::cpu {

/// Half of the coefficient m of y^2, for m > 0.
template <int m, class T, int size>
[[gnu::always_inline]] inline Vec<T> half_square_at(const Vec<T> (&c)[size]) {
  Vec<T> half = c[0] * c[m];
#pragma GCC unroll 16
  for (int j = 1; 2 * j < m; ++j) half = fma(c[j], c[m - j], half);
  if constexpr (m % 2 == 1) return half;
  return fma(Vec<T>(0.5) * c[m / 2], c[m / 2], half);
}

// Activations by their own formulas. `find` gives y = f(x) and what is kept beside it, `fill` takes
// the derivatives from these two, by the op's own equation: f[m] = f^(m+1)(x) / m! for m = 0 ...
// order <= 2. `series` takes the Taylor series from them: c[m] = f^(m)(x) / m! for m = 0 ... M.

/// An activation whose f'' and f''' are simple multiples of f'. Its `fill` gives these instead:
/// f[1] = -f'' / (2 f') and f[2] = (f'' / f')^2 - f''' / (2 f').
struct Proportional {};

/// y' = 1 - y^2; the slope is kept.
struct OwnTanh : Proportional {
  using Op = op::Tanh;
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&slope)[n]) {
    tanh_and_slope<T>(x, y, slope);
  }
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&f)[order + 1]) {
    f[0] = slope;
    if constexpr (order > 0) f[1] = y;
    if constexpr (order > 1) f[2] = fma(y, y, Vec<T>(1));
  }
  template <int M, class T>
  [[gnu::always_inline]] static inline void series(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    c[0] = y;
    if constexpr (M > 0) c[1] = slope;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((c[i + 2] = Vec<T>(-2.0 / (i + 2)) * half_square_at<i + 1>(c)), ...);
    }
    (std::make_integer_sequence < int, M<2 ? 0 : M - 1>{});
  }
};

/// y' = y - y^2; the slope is kept.
struct OwnSigmoid : Proportional {
  using Op = op::Sigmoid;
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&slope)[n]) {
    sigmoid_and_slope<T>(x, y, slope);
  }
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&f)[order + 1]) {
    f[0] = slope;
    if constexpr (order > 0) f[1] = y - Vec<T>(0.5);
    if constexpr (order > 1) f[2] = fma(y - Vec<T>(1), y, Vec<T>(0.5));
  }
};

/// y = x s with s = sigmoid(x), which is kept: x s' = y (1 - s), so that x is not needed again.
struct OwnSilu {
  using Op = op::Silu;
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

/// y' = s = sigmoid(x), which is kept.
struct OwnSoftplus : Proportional {
  using Op = op::Softplus;
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&s)[n]) {
    softplus_and_slope<T>(x, y, s);
  }
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T>, Vec<T> s, Vec<T> (&f)[order + 1]) {
    const Vec<T> half(0.5);
    f[0] = s;
    if constexpr (order > 0) f[1] = half * s - half;
    if constexpr (order > 1) f[2] = half - half * s;
  }
};

/// y'' = -y; the slope is kept.
struct Oscillation {
  template <int order, class T>
  [[gnu::always_inline]] static inline void fill(Vec<T> y, Vec<T> slope, Vec<T> (&f)[order + 1]) {
    f[0] = slope;
    if constexpr (order > 0) f[1] = -y;
    if constexpr (order > 1) f[2] = Vec<T>(-0.5) * slope;
  }
  template <int M, class T>
  [[gnu::always_inline]] static inline void series(Vec<T> y, Vec<T> slope, Vec<T> (&c)[M + 1]) {
    c[0] = y;
    if constexpr (M > 0) c[1] = slope;
#pragma GCC unroll 16
    for (int m = 2; m <= M; ++m) c[m] = Vec<T>(-1.0 / (m * (m - 1))) * c[m - 2];
  }
};
struct OwnSin : Oscillation {
  using Op = op::Sin;
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&slope)[n]) {
    sine_and_cosine<T>(x, y, slope);
  }
};
struct OwnCos : Oscillation {
  using Op = op::Cos;
  template <class T, int n>
  [[gnu::always_inline]] static inline void find(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                 Vec<T> (&slope)[n]) {
    sine_and_cosine<T>(x, slope, y);
    side_by_side<n>([&](int l) { slope[l] = -slope[l]; });
  }
};

/// y = x p(x) with the normal distribution function p, of which p'' = -x p'. The derivatives need
/// more than could be kept, so `derive` gives them all.
struct OwnGelu {
  using Op = op::Gelu;
  template <int order, class T, int n>
  [[gnu::always_inline]] static inline void derive(const Vec<T> (&x)[n], Vec<T> (&y)[n],
                                                   Vec<T> (&f)[n][order + 1]) {
    Vec<T> t[n], p[n], density[n];
    normal_distribution<T>(x, t, p, density);
    side_by_side<n>([&](int l) {
      const Vec<T> x_density = x[l] * density[l];
      y[l] = x[l] * p[l];
      f[l][0] = p[l] + x_density;
      if constexpr (order > 0) f[l][1] = density[l] * fma(-t[l], t[l], Vec<T>(2));
      if constexpr (order > 1) f[l][2] = x_density * fma(Vec<T>(0.5) * t[l], t[l], Vec<T>(-2));
    });
  }
};

/// All of them.
using OwnActivations = List<OwnTanh, OwnSigmoid, OwnSilu, OwnSoftplus, OwnSin, OwnCos, OwnGelu>;

/// f.operator()<A>() for the activation of that op, if it is one of them.
template <class F> void visit_own(int op, F&& f) {
  const auto visit = [&]<class... A>(List<A...>) {
    ((op == unary_id<typename A::Op> ? f.template operator()<A>() : void()), ...);
  };
  visit(OwnActivations{});
}

/// True if the derivatives of an activation follow from its value and what is kept beside it.
template <class A> inline constexpr bool keeps = true;
template <> inline constexpr bool keeps<OwnGelu> = false;
template <class A> inline constexpr bool proportional = std::is_base_of_v<Proportional, A>;

/// Value, what is kept, and derivatives of an activation.
template <class A, int order, class T, int n>
[[gnu::always_inline]] inline void find_all(const Vec<T> (&x)[n], Vec<T> (&y)[n], Vec<T> (&kept)[n],
                                            Vec<T> (&f)[n][order + 1]) {
  if constexpr (keeps<A>) {
    A::template find<T>(x, y, kept);
    side_by_side<n>([&](int l) { A::template fill<order>(y[l], kept[l], f[l]); });
  } else {
    A::template derive<order>(x, y, f);
  }
}

}  // namespace pinn::cpu
