#include "autograd/cpu/block/jet_small.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "autograd/cpu/block/activation.h"
#include "autograd/ops/jet_compose.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {
namespace {

// Sources of a function and its derivatives: read gives c[l][m] = f^(k+m)(h_0) / m! and what is
// kept of them at n neighboring vectors l, and slopes gives f[m] = f^(k+1+m)(h_0) / m! at one. If
// these are `multiples`, c[l][2], f[1] and f[2] are what Proportional says of f[1] and f[2].

/// The op's own formulas.
template <class A, class T> struct Own {
  static constexpr bool multiples = proportional<A>, threes = true;

  template <int M, int n>
  [[gnu::always_inline]] void read(const SmallJet<T>& jet, std::size_t at, Vec<T> (&c)[n][M + 1],
                                   Vec<T> (&kept)[n]) {
    Vec<T> h[n], y[n], f[n][M];
    side_by_side<n>([&](int l) { h[l] = Vec<T>::load(jet.h.data + at + l * Vec<T>::size); });
    find_all<A, M - 1>(h, y, kept, f);
    side_by_side<n>([&](int l) {
      c[l][0] = y[l];
      c[l][1] = f[l][0];
      if constexpr (M > 1) c[l][2] = multiples ? f[l][1] : Vec<T>(0.5) * f[l][1];
    });
  }
  template <int order>
  [[gnu::always_inline]] void slopes(const SmallPullback<T>& jet, std::size_t at,
                                     Vec<T> (&f)[order + 1]) {
    const Vec<T> h[1] = {Vec<T>::load(jet.h.data + at)};
    Vec<T> y[1], kept[1], all[1][order + 1];
    find_all<A, order>(h, y, kept, all);
#pragma GCC unroll 4
    for (int m = 0; m <= order; ++m) f[m] = all[0][m];
  }
};

/// The same of what value left.
template <class A, class T> struct SavedSlopes {
  static constexpr bool multiples = proportional<A>;

  template <int order>
  [[gnu::always_inline]] void slopes(const SmallPullback<T>& jet, std::size_t at,
                                     Vec<T> (&f)[order + 1]) {
    A::template fill<order>(Vec<T>::load(jet.y.data + at), Vec<T>::load(jet.slope.data + at), f);
  }
};

/// Any op's series kernel.
template <class T> struct AnySeries {
  static constexpr bool multiples = false, threes = false;

  Vec<T> h[strip_vectors], strip[(max_derivative + 1) * strip_vectors];

  template <int M, int n>
  [[gnu::always_inline]] void read(const SmallJet<T>& jet, std::size_t at, Vec<T> (&c)[n][M + 1],
                                   Vec<T> (&kept)[n]) {
    fill(jet, at, n);
#pragma GCC unroll 8
    for (int m = 0; m <= M; ++m) {
      const T factor = T(series_factor(jet.k, m));
      for (int l = 0; l < n; ++l) c[l][m] = splat(factor) * strip[(jet.k + m) * strip_vectors + l];
    }
    for (int l = 0; l < n; ++l) kept[l] = c[l][1];
  }
  template <int order>
  [[gnu::always_inline]] void slopes(const SmallPullback<T>& jet, std::size_t at,
                                     Vec<T> (&f)[order + 1]) {
    const std::size_t first = at / Vec<T>::size % strip_vectors;
    const std::size_t left = (jet.points - at) / Vec<T>::size;
    if (first == 0) fill(jet, at, int(std::min<std::size_t>(strip_vectors, left)));
#pragma GCC unroll 8
    for (int m = 0; m <= order; ++m)
      f[m] = splat(T(series_factor(jet.k + 1, m))) * strip[(jet.k + 1 + m) * strip_vectors + first];
  }

 private:
  void fill(const SmallJet<T>& jet, std::size_t at, int n) {
    for (int l = 0; l < n; ++l) h[l] = Vec<T>::load(jet.h.data + at + l * Vec<T>::size);
    jet.series(h, jet.parameter, n, strip);
  }
};

/// Channel c of a jet at a vector.
template <class T>
[[gnu::always_inline]] inline Vec<T> part(const SmallJet<T>& jet, const T* data, int c,
                                          std::size_t at) {
  return Vec<T>::load(data + c * jet.points + at);
}

/// The weights w[s][i] of squares, in registers.
template <int F, int S, class T> struct Squares {
  Vec<T> w[S + 1][F + 1];

  [[gnu::always_inline]] explicit Squares(const T* weights) {
    for (int s = 0; s < S; ++s)
      for (int i = 0; i < F; ++i) w[s][i] = splat(weights[s * F + i]);
  }
  /// sum_i w[s][i] h_i^2
  [[gnu::always_inline]] Vec<T> sum(int s, const Vec<T> (&h)[F + 1]) const {
    Vec<T> q = w[s][0] * h[1] * h[1];
#pragma GCC unroll 4
    for (int i = 2; i <= F; ++i) q = fma(w[s][i - 1] * h[i], h[i], q);
    return q;
  }
  /// sum_s w[s][i] y_s, where y has all channels.
  [[gnu::always_inline]] Vec<T> transposed(int i, const Vec<T> (&y)[F + S + 1]) const {
    Vec<T> t = w[0][i - 1] * y[F + 1];
#pragma GCC unroll 4
    for (int s = 1; s < S; ++s) t = fma(w[s][i - 1], y[F + 1 + s], t);
    return t;
  }
};

/// f(n, first number) for the vectors of a channel, n of them at a time: 4 as far as that goes,
/// then 2, or 3 with `threes`, which is more to compile: for most jets, not for all.
template <bool threes, class T, class F>
[[gnu::always_inline]] inline void each_vectors(std::size_t points, F&& f) {
  std::size_t at = 0, left = points / Vec<T>::size;
  const auto take = [&]<int n>(std::integral_constant<int, n> count)
      __attribute__((always_inline)) {
    f(count, at);
    at += n * Vec<T>::size;
    left -= n;
  };
  static_assert(strip_vectors == 4);
  while (left >= 4 && !(threes && (left == 6 || left == 9))) take(std::integral_constant<int, 4>());
  while (left >= (threes ? 3 : 2)) take(std::integral_constant < int, threes ? 3 : 2 > ());
  while (left > 0) take(std::integral_constant<int, 1>());
}

template <class T> void next_feature(BlockRows<T>& rows) { rows.data += rows.stride; }

/// y_0 = f, y_i = f' h_i, y_s = f' h_s + f''/2 sum_i w[s][i] h_i^2.
template <class From, int F, int S, class T> void value(const SmallValue<T>& all) {
  SmallValue<T> jet = all;  // which no store below can be thought to change
  constexpr int M = S > 0 ? 2 : 1;
  const Squares<F, S, T> squares(jet.weights);
  From from;
  const auto at_vectors = [&]<int n>(std::integral_constant<int, n>, std::size_t first)
      __attribute__((always_inline)) {
    Vec<T> all_c[n][M + 1], kept[n];
    from.template read<M, n>(jet, first, all_c, kept);
    side_by_side<n>([&](int l) {
      const std::size_t at = first + l * Vec<T>::size;
      const Vec<T>(&c)[M + 1] = all_c[l];
      const auto put = [&](int k, Vec<T> v) { v.store(jet.y.data + k * jet.points + at); };
      Vec<T> h[F + 1];
      put(0, c[0]);
      if (jet.slope.data) kept[l].store(jet.slope.data + at);
#pragma GCC unroll 4
      for (int i = 1; i <= F; ++i) {
        h[i] = part(jet, jet.h.data, i, at);
        put(i, c[1] * h[i]);
      }
#pragma GCC unroll 4
      for (int s = 0; s < S; ++s) {
        const Vec<T> q = squares.sum(s, h), h_s = part(jet, jet.h.data, F + 1 + s, at);
        put(F + 1 + s, From::multiples ? c[1] * fnma(c[2], q, h_s) : fma(c[2], q, c[1] * h_s));
      }
    });
  };
  for (; jet.features > 0; --jet.features) {
    each_vectors<From::threes && F + S <= 3, T>(jet.points, at_vectors);
    next_feature(jet.h), next_feature(jet.y), next_feature(jet.slope);
  }
}

/// hbar_s = f' ybar_s, hbar_i = f' ybar_i + f'' t_i with t_i = h_i sum_s w[s][i] ybar_s, and hbar_0
/// = f' ybar_0 + f'' sum_k ybar_k h_k + f'''/2 sum_i t_i h_i. Multiples take f' with them: t_i of
/// f' ybar_s, and the sum over k of hbar_i h_i and hbar_s h_s, which has the square of f'' in it.
template <class From, int F, int S, class T>
[[gnu::always_inline]] inline void pull_back(const SmallPullback<T>& jet, From& from,
                                             const Squares<F, S, T>& squares, std::size_t at,
                                             Vec<T> (&hbar)[F + S + 1]) {
  constexpr int order = S > 0 ? 2 : F > 0 ? 1 : 0;
  constexpr bool multiples = From::multiples;
  const auto add = [](Vec<T> a, Vec<T> b, Vec<T> to) {
    return multiples ? fnma(a, b, to) : fma(a, b, to);
  };
  Vec<T> f[order + 1], ybar[F + S + 1];
  from.template slopes<order>(jet, at, f);
#pragma GCC unroll 8
  for (int k = 0; k <= F + S; ++k) {
    ybar[k] = part(jet, jet.ybar.data, k, at);
    hbar[k] = f[0] * ybar[k];
  }
  if constexpr (F > 0) {
    const Vec<T> bend = multiples ? f[1] + f[1] : f[1];
    const Vec<T>(&g)[F + S + 1] = multiples ? hbar : ybar;
    Vec<T> dot, cubic;
#pragma GCC unroll 4
    for (int i = 1; i <= F; ++i) {
      const Vec<T> h = part(jet, jet.h.data, i, at);
      if constexpr (S > 0) {
        const Vec<T> t = squares.transposed(i, g) * h;
        hbar[i] = add(bend, t, hbar[i]);
        cubic = i == 1 ? t * h : fma(t, h, cubic);
      }
      dot = i == 1 ? g[i] * h : fma(g[i], h, dot);
    }
#pragma GCC unroll 4
    for (int k = F + 1; k <= F + S; ++k) dot = fma(g[k], part(jet, jet.h.data, k, at), dot);
    hbar[0] = add(bend, dot, hbar[0]);
    if constexpr (S > 0) hbar[0] = add(f[2], cubic, hbar[0]);
  }
}

template <class From, int F, int S, class T> void pullback(const SmallPullback<T>& all) {
  SmallPullback<T> jet = all;  // which no store below can be thought to change
  const Squares<F, S, T> squares(jet.weights);
  From from;
  for (; jet.features > 0; --jet.features) {
    for (std::size_t at = 0; at < jet.points; at += Vec<T>::size) {
      Vec<T> hbar[F + S + 1];
      pull_back<From, F, S>(jet, from, squares, at, hbar);
#pragma GCC unroll 8
      for (int k = 0; k <= F + S; ++k) hbar[k].store(jet.hbar.data + k * jet.points + at);
    }
    next_feature(jet.h), next_feature(jet.y), next_feature(jet.slope);
    next_feature(jet.ybar), next_feature(jet.hbar);
  }
}

// Tables of kernels by the numbers of channels: F = 0 ... small_firsts, S = 0 ... F.

constexpr int place_of(int firsts, int seconds) { return firsts * (firsts + 1) / 2 + seconds; }
constexpr auto every = std::make_integer_sequence<int, place_of(small_firsts + 1, 0)>{};
constexpr int firsts_at(int n) {
  int firsts = 0;
  while (place_of(firsts + 1, 0) <= n) ++firsts;
  return firsts;
}
constexpr int seconds_at(int n) { return n - place_of(firsts_at(n), 0); }

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

/// A pullback evaluates its function again only where value left nothing (gelu, and arguments that
/// were rounded since): by the series kernel, where there is the other one.
template <class A, class T> SmallKernels<T> own_kernels(int n) {
  const auto value = value_kernel<Own<A, T>, T>(n);
  if constexpr (keeps<A>) {
    using Rule = std::conditional_t<std::is_base_of_v<Oscillation, A>, Oscillation, A>;
    return {value, pullback_kernel<AnySeries<T>, T>(n),
            pullback_kernel<SavedSlopes<Rule, T>, T>(n)};
  } else {
    return {value, pullback_kernel<Own<A, T>, T>(n), nullptr};
  }
}

}  // namespace

template <class T> SmallKernels<T> small_kernels(int op, int k, int firsts, int seconds) {
  const int n = place_of(firsts, seconds);
  SmallKernels<T> kernels = {};
  if (k == 0) visit_own(op, [&]<class A>() { kernels = own_kernels<A, T>(n); });
  if (kernels.value) return kernels;
  return {value_kernel<AnySeries<T>, T>(n), pullback_kernel<AnySeries<T>, T>(n), nullptr};
}

template SmallKernels<float> small_kernels<float>(int, int, int, int);
template SmallKernels<double> small_kernels<double>(int, int, int, int);

}  // namespace pinn::cpu
