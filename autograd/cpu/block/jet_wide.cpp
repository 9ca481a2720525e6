#include "autograd/cpu/block/jet_wide.h"

#include <algorithm>

#include "autograd/cpu/vectors/kernel_vector.h"
#include "autograd/ops/jet_compose.h"

namespace pinn::cpu {
namespace {

constexpr int few_channels = 10;

bool is_cross(const JetTable::Term& t) { return t.i > 0 && t.j > 0; }

/// Neighboring vectors of a channel.
template <class T, int n> struct Some {
  Vec<T> v[n];

  static Some load(const T* from) {
    Some s;
#pragma GCC unroll 4
    for (int l = 0; l < n; ++l) s.v[l] = Vec<T>::load(from + l * Vec<T>::size);
    return s;
  }
  void store(T* to) const {
#pragma GCC unroll 4
    for (int l = 0; l < n; ++l) v[l].store(to + l * Vec<T>::size);
  }
  friend Some operator*(const Some& a, const Some& b) {
    Some s;
#pragma GCC unroll 4
    for (int l = 0; l < n; ++l) s.v[l] = a.v[l] * b.v[l];
    return s;
  }
  friend Some weighted(T w, const Some& a) {
    Some s;
#pragma GCC unroll 4
    for (int l = 0; l < n; ++l) s.v[l] = splat(w) * a.v[l];
    return s;
  }
  /// a b + c
  friend Some multiply_add(const Some& a, const Some& b, const Some& c) {
    Some s;
#pragma GCC unroll 4
    for (int l = 0; l < n; ++l) s.v[l] = fma(a.v[l], b.v[l], c.v[l]);
    return s;
  }
};

/// f^(k)(h_0), f^(k+1)(h_0), f^(k+2)(h_0)/2 of so many vectors.
template <class T, int n> struct Coefficients {
  Some<T, n> c[3];

  Coefficients(const SmallJet<T>& jet, int k, const T* h0) {
    Vec<T> x[strip_vectors], strip[(max_derivative + 1) * strip_vectors];
    for (int l = 0; l < n; ++l) x[l] = Vec<T>::load(h0 + l * Vec<T>::size);
    const int degree = jet.series(x, jet.parameter, n, strip);
    for (int m = 0; m < 3; ++m) {
      const Vec<T> factor = splat(T(series_factor(k, m)));
      for (int l = 0; l < n; ++l)
        c[m].v[l] = k + m <= degree ? factor * strip[(k + m) * strip_vectors + l] : Vec<T>(0.0);
    }
  }
};

/// f(number of vectors, first number) over the vectors of a channel.
template <class T, class F> void each_vectors(std::size_t points, F&& f) {
  std::size_t at = 0, left = points / Vec<T>::size;
  for (; left >= 4; left -= 4, at += 4 * Vec<T>::size) f(std::integral_constant<int, 4>(), at);
  if (left >= 2) {
    f(std::integral_constant<int, 2>(), at);
    at += 2 * Vec<T>::size;
    left -= 2;
  }
  if (left > 0) f(std::integral_constant<int, 1>(), at);
}

}  // namespace

template <class T> bool WideJet<T>::fits(const JetTable& table) {
  return table.size() > few_channels && table.order() <= 2 &&
         std::all_of(table.terms().begin(), table.terms().end(),
                     [](const auto& t) { return !is_cross(t) || (t.i < t.k && t.j < t.k); });
}

template <class T>
WideJet<T>::WideJet(const JetTable& table) : channels_(std::size_t(table.size())) {
  const auto fill = [&](Terms& terms, auto&& belongs_to, auto&& term_of) {
    for (std::size_t k = 0; k < channels_; ++k) {
      terms.first.push_back(terms.all.size());
      for (const JetTable::Term& t : table.terms())
        if (is_cross(t) && std::size_t(belongs_to(t)) == k) terms.all.push_back(term_of(t));
    }
    terms.first.push_back(terms.all.size());
  };
  using Of = const JetTable::Term&;
  fill(
      into_, [](Of t) { return t.k; },
      [](Of t) {
        return Term{std::size_t(t.i), std::size_t(t.j), T(t.weight)};
      });
  fill(
      from_, [](Of t) { return t.i; },
      [](Of t) {
        return Term{std::size_t(t.j), std::size_t(t.k), T(t.weight)};
      });
}

template <class T>
template <int n>
void WideJet<T>::value_at(const SmallValue<T>& jet, std::size_t at) const {
  using S = Some<T, n>;
  const auto h = [&](std::size_t k) { return S::load(jet.h.data + k * jet.points + at); };
  const Coefficients<T, n> f(jet, jet.k, jet.h.data + at);
  f.c[0].store(jet.y.data + at);
  if (jet.slope.data) f.c[1].store(jet.slope.data + at);
  for (std::size_t k = 1; k < channels_; ++k) {
    S y = f.c[1] * h(k);
    if (std::size_t t = into_.first[k]; t < into_.first[k + 1]) {
      const auto term = [&](const Term& of) { return weighted(of.weight, h(of.a)); };
      S q = term(into_.all[t]) * h(into_.all[t].b);
      for (++t; t < into_.first[k + 1]; ++t)
        q = multiply_add(term(into_.all[t]), h(into_.all[t].b), q);
      y = multiply_add(f.c[2], q, y);
    }
    y.store(jet.y.data + k * jet.points + at);
  }
}

/// hbar may stand where ybar does: a channel is written after it is read, and those that it is a
/// factor of come later.
template <class T>
template <int n>
void WideJet<T>::pullback_at(const SmallPullback<T>& jet, std::size_t at) const {
  using S = Some<T, n>;
  const auto h = [&](std::size_t k) { return S::load(jet.h.data + k * jet.points + at); };
  const auto ybar = [&](std::size_t k) { return S::load(jet.ybar.data + k * jet.points + at); };
  const Coefficients<T, n> f(jet, jet.k + 1, jet.h.data + at);
  S first = f.c[0] * ybar(0);
  for (std::size_t k = 1; k < channels_; ++k) {
    const S own = ybar(k);
    S slope = f.c[1] * h(k);
    if (std::size_t t = into_.first[k]; t < into_.first[k + 1]) {
      const auto term = [&](const Term& of) { return weighted(of.weight, h(of.a)); };
      S q = term(into_.all[t]) * h(into_.all[t].b);
      for (++t; t < into_.first[k + 1]; ++t)
        q = multiply_add(term(into_.all[t]), h(into_.all[t].b), q);
      slope = multiply_add(f.c[2], q, slope);
    }
    first = multiply_add(own, slope, first);
    S hbar = f.c[0] * own;
    for (std::size_t t = from_.first[k]; t < from_.first[k + 1]; ++t) {
      const Term& of = from_.all[t];  // s_j of channels without cross terms: those are of order 1
      hbar = multiply_add(weighted(of.weight, f.c[1] * h(of.a)), ybar(of.b), hbar);
    }
    hbar.store(jet.hbar.data + k * jet.points + at);
  }
  first.store(jet.hbar.data + at);
}

template <class T> void WideJet<T>::value(const SmallValue<T>& all) const {
  SmallValue<T> jet = all;
  for (; jet.features > 0; --jet.features) {
    each_vectors<T>(jet.points, [&]<int n>(std::integral_constant<int, n>, std::size_t at) {
      value_at<n>(jet, at);
    });
    jet.h.data += jet.h.stride, jet.y.data += jet.y.stride, jet.slope.data += jet.slope.stride;
  }
}

template <class T> void WideJet<T>::pullback(const SmallPullback<T>& all) const {
  SmallPullback<T> jet = all;
  for (; jet.features > 0; --jet.features) {
    each_vectors<T>(jet.points, [&]<int n>(std::integral_constant<int, n>, std::size_t at) {
      pullback_at<n>(jet, at);
    });
    jet.h.data += jet.h.stride, jet.ybar.data += jet.ybar.stride, jet.hbar.data += jet.hbar.stride;
  }
}

template class WideJet<float>;
template class WideJet<double>;

}  // namespace pinn::cpu
