#include "autograd/cpu/block_jet_small.h"

#include <algorithm>
#include <array>
#include <utility>

#include "autograd/cpu/block_activation.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {
namespace {

// Where a function and its derivatives come from: read gives c[l][m] = f^(k+m)(h_0) / m! and what
// is kept of them at n neighboring vectors l, and slopes gives f[m] = f^(k+1+m)(h_0) / m! at one.

/// The op's own formulas.
template <class A, class T> struct Own {
  template <int M, int n>
  [[gnu::always_inline]] void read(const SmallJet<T>& jet, std::size_t at, Vec<T> (&c)[n][M + 1],
                                   Vec<T> (&kept)[n]) {
    Vec<T> h[n], y[n], f[n][M];
    side_by_side<n>([&](int l) { h[l] = Vec<T>::load(jet.h + at + l * Vec<T>::size); });
    find_all<A, M - 1>(h, y, kept, f);
    side_by_side<n>([&](int l) {
      c[l][0] = y[l];
      c[l][1] = f[l][0];
      if constexpr (M > 1) c[l][2] = Vec<T>(0.5) * f[l][1];
    });
  }
  template <int order>
  [[gnu::always_inline]] void slopes(const SmallPullback<T>& jet, std::size_t at,
                                     Vec<T> (&f)[order + 1]) {
    const Vec<T> h[1] = {Vec<T>::load(jet.h + at)};
    Vec<T> y[1], kept[1], all[1][order + 1];
    find_all<A, order>(h, y, kept, all);
#pragma GCC unroll 4
    for (int m = 0; m <= order; ++m) f[m] = all[0][m];
  }
};

/// The same of what value left.
template <class A, class T> struct Kept {
  template <int order>
  [[gnu::always_inline]] void slopes(const SmallPullback<T>& jet, std::size_t at,
                                     Vec<T> (&f)[order + 1]) {
    A::template fill<order>(Vec<T>::load(jet.y + at), Vec<T>::load(jet.slope + at), f);
  }
};

/// Any op's series kernel, a strip at a time.
template <class T> struct AnySeries {
  Vec<T> h[strip_vectors], strip[(max_derivative + 1) * strip_vectors];

  template <int M, int n>
  [[gnu::always_inline]] void read(const SmallJet<T>& jet, std::size_t at, Vec<T> (&c)[n][M + 1],
                                   Vec<T> (&kept)[n]) {
    const std::size_t first = at / Vec<T>::size % strip_vectors;
    if (first == 0) fill(jet, at);
#pragma GCC unroll 8
    for (int m = 0; m <= M; ++m) {
      const T factor = factorials(m + jet.k, m);
      for (int l = 0; l < n; ++l)
        c[l][m] = splat(factor) * strip[(jet.k + m) * strip_vectors + first + l];
    }
    for (int l = 0; l < n; ++l) kept[l] = c[l][1];
  }
  template <int order>
  [[gnu::always_inline]] void slopes(const SmallPullback<T>& jet, std::size_t at,
                                     Vec<T> (&f)[order + 1]) {
    const std::size_t first = at / Vec<T>::size % strip_vectors;
    if (first == 0) fill(jet, at);
#pragma GCC unroll 8
    for (int m = 0; m <= order; ++m)
      f[m] = splat(factorials(m + 1 + jet.k, m)) * strip[(jet.k + 1 + m) * strip_vectors + first];
  }

 private:
  /// a! / b! for a >= b.
  static T factorials(int a, int b) {
    T product = 1;
    for (; a > b; --a) product *= T(a);
    return product;
  }
  void fill(const SmallJet<T>& jet, std::size_t at) {
    int n = 0;
    for (; n < strip_vectors && at < jet.points; ++n, at += Vec<T>::size)
      h[n] = Vec<T>::load(jet.h + at);
    jet.series(h, jet.parameter, n, strip);
  }
};

/// Channel c of a jet at a vector.
template <class T>
[[gnu::always_inline]] inline Vec<T> part(const SmallJet<T>& jet, const T* data, int c,
                                          std::size_t at) {
  return Vec<T>::load(data + c * jet.points + at);
}

/// sum_i w[s][i] h_i^2
template <int F, class T>
[[gnu::always_inline]] inline Vec<T> squares(const T* w, const Vec<T> (&h)[F + 1]) {
  Vec<T> q = splat(w[0]) * (h[1] * h[1]);
#pragma GCC unroll 4
  for (int i = 2; i <= F; ++i) q = fma(splat(w[i - 1]) * h[i], h[i], q);
  return q;
}

/// f(n, first number) for the vectors of a channel, n of them at a time: 4 as long as there are.
template <class T, class F>
[[gnu::always_inline]] inline void each_vectors(std::size_t points, F&& f) {
  constexpr std::size_t size = Vec<T>::size;
  static_assert(strip_vectors == 4);
  std::size_t at = 0;
  for (; at + 4 * size <= points; at += 4 * size) f(std::integral_constant<int, 4>(), at);
  if (points - at >= 2 * size) f(std::integral_constant<int, 2>(), at), at += 2 * size;
  if (points - at >= size) f(std::integral_constant<int, 1>(), at);
}

/// y_0 = f, y_i = f' h_i, y_s = f' h_s + f''/2 sum_i w[s][i] h_i^2.
template <class From, int F, int S, class T> void value(const SmallValue<T>& all) {
  const SmallValue<T> jet = all;  // which no store below can be thought to change
  constexpr int M = S > 0 ? 2 : 1;
  From from;
  const auto at_vectors = [&]<int n>(std::integral_constant<int, n>, std::size_t first)
      __attribute__((always_inline)) {
    Vec<T> all_c[n][M + 1], kept[n];
    from.template read<M, n>(jet, first, all_c, kept);
    side_by_side<n>([&](int l) {
      const std::size_t at = first + l * Vec<T>::size;
      const Vec<T>(&c)[M + 1] = all_c[l];
      Vec<T> h[F + 1];
      c[0].store(jet.y + at);
      if (jet.slope) kept[l].store(jet.slope + at);
#pragma GCC unroll 4
      for (int i = 1; i <= F; ++i) {
        h[i] = part(jet, jet.h, i, at);
        (c[1] * h[i]).store(jet.y + i * jet.points + at);
      }
#pragma GCC unroll 4
      for (int s = 0; s < S; ++s) {
        const Vec<T> q = squares<F>(jet.weights + s * F, h);
        fma(c[2], q, c[1] * part(jet, jet.h, F + 1 + s, at))
            .store(jet.y + (F + 1 + s) * jet.points + at);
      }
    });
  };
  each_vectors<T>(jet.points, at_vectors);
}

template <class T>
[[gnu::always_inline]] inline void put(const SmallPullback<T>& jet, int c, std::size_t at,
                                       Vec<T> v) {
  T* to = jet.hbar + c * jet.points + at;
  (jet.add ? Vec<T>::load(to) + v : v).store(to);
}

/// hbar_s = f' ybar_s, hbar_i = f' ybar_i + f'' t_i with t_i = h_i sum_s w[s][i] ybar_s, and hbar_0
/// = f' ybar_0 + f'' sum_k ybar_k h_k + f'''/2 sum_i t_i h_i. All of ybar is read first, so that
/// hbar may take its place.
template <class From, int F, int S, class T> void pullback(const SmallPullback<T>& all) {
  const SmallPullback<T> jet = all;  // which no store below can be thought to change
  constexpr int order = S > 0 ? 2 : F > 0 ? 1 : 0;
  From from;
  for (std::size_t at = 0; at < jet.points; at += Vec<T>::size) {
    Vec<T> f[order + 1], ybar[F + S + 1];
    from.template slopes<order>(jet, at, f);
#pragma GCC unroll 8
    for (int k = 0; k <= F + S; ++k) ybar[k] = part(jet, jet.ybar, k, at);
    Vec<T> total = f[0] * ybar[0];
    if constexpr (F > 0) {
      Vec<T> dot, cubic;
#pragma GCC unroll 4
      for (int i = 1; i <= F; ++i) {
        const Vec<T> h = part(jet, jet.h, i, at);
        Vec<T> own = f[0] * ybar[i];
        dot = i == 1 ? ybar[i] * h : fma(ybar[i], h, dot);
        if constexpr (S > 0) {
          Vec<T> t = splat(jet.weights[i - 1]) * ybar[F + 1];
#pragma GCC unroll 4
          for (int s = 1; s < S; ++s)
            t = fma(splat(jet.weights[s * F + i - 1]), ybar[F + 1 + s], t);
          t = t * h;
          own = fma(f[1], t, own);
          cubic = i == 1 ? t * h : fma(t, h, cubic);
        }
        put(jet, i, at, own);
      }
#pragma GCC unroll 4
      for (int k = F + 1; k <= F + S; ++k) {
        dot = fma(ybar[k], part(jet, jet.h, k, at), dot);
        put(jet, k, at, f[0] * ybar[k]);
      }
      total = fma(f[1], dot, total);
      if constexpr (S > 0) total = fma(f[2], cubic, total);
    }
    put(jet, 0, at, total);
  }
}

// Tables of kernels by the numbers of channels: F = 0 ... small_firsts, S = 0 ... small_seconds.

constexpr int table_size = (small_firsts + 1) * (small_seconds + 1);
constexpr auto every = std::make_integer_sequence<int, table_size>{};
constexpr int firsts_at(int n) { return n / (small_seconds + 1); }
constexpr int seconds_at(int n) { return firsts_at(n) > 0 ? n % (small_seconds + 1) : 0; }

template <class From, class T> auto value_kernel(int n) {
  static constexpr auto table = []<int... n>(std::integer_sequence<int, n...>) {
    return std::array{value<From, firsts_at(n), seconds_at(n), T>...};
  }
  (every);
  return table[std::size_t(n)];
}
template <class From, class T> auto pullback_kernel(int n) {
  static constexpr auto table = []<int... n>(std::integer_sequence<int, n...>) {
    return std::array{pullback<From, firsts_at(n), seconds_at(n), T>...};
  }
  (every);
  return table[std::size_t(n)];
}

template <class A, class T> SmallKernels<T> own_kernels(int n) {
  SmallKernels<T> kernels = {value_kernel<Own<A, T>, T>(n), pullback_kernel<Own<A, T>, T>(n),
                             nullptr};
  if constexpr (keeps<A>) kernels.kept_pullback = pullback_kernel<Kept<A, T>, T>(n);
  return kernels;
}

}  // namespace

template <class T> SmallKernels<T> small_kernels(int op, int k, int firsts, int seconds) {
  const int n = firsts * (small_seconds + 1) + seconds;
  if (k == 0) {
    if (op == unary_id<op::Tanh>) return own_kernels<OwnTanh, T>(n);
    if (op == unary_id<op::Sigmoid>) return own_kernels<OwnSigmoid, T>(n);
    if (op == unary_id<op::Silu>) return own_kernels<OwnSilu, T>(n);
    if (op == unary_id<op::Softplus>) return own_kernels<OwnSoftplus, T>(n);
    if (op == unary_id<op::Exp>) return own_kernels<OwnExp, T>(n);
    if (op == unary_id<op::Sin>) return own_kernels<OwnSin, T>(n);
    if (op == unary_id<op::Cos>) return own_kernels<OwnCos, T>(n);
    if (op == unary_id<op::Gelu>) return own_kernels<OwnGelu, T>(n);
  }
  return {value_kernel<AnySeries<T>, T>(n), pullback_kernel<AnySeries<T>, T>(n), nullptr};
}

template SmallKernels<float> small_kernels<float>(int, int, int, int);
template SmallKernels<double> small_kernels<double>(int, int, int, int);

}  // namespace pinn::cpu
