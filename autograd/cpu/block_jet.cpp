#include "autograd/cpu/block_jet.h"

#include <algorithm>
#include <utility>

#include "autograd/cpu/block_vector.h"
#include "autograd/cpu/jet_strip.h"

namespace pinn::cpu {

/// A strip's vectors as offsets into a channel. Where the points end, the last vector repeats: it
/// is computed again, with equal results.
struct Places {
  std::size_t at[strip_vectors];

  template <class T> static Places from(std::size_t point, std::size_t points) {
    Places p;
    for (int l = 0; l < strip_vectors; ++l)
      p.at[l] = std::min(point + l * Vec<T>::size, points - Vec<T>::size);
    return p;
  }
  template <class T> [[gnu::always_inline]] Block<T> load(const T* channel) const {
    return {Vec<T>::load(channel + at[0]), Vec<T>::load(channel + at[1]),
            Vec<T>::load(channel + at[2]), Vec<T>::load(channel + at[3])};
  }
  template <class T> [[gnu::always_inline]] void store(T* channel, const Block<T>& b) const {
#pragma GCC unroll 4
    for (int l = 0; l < strip_vectors; ++l) b.v[l].store(channel + at[l]);
  }
};

namespace {

template <class T>
[[gnu::always_inline]] inline Block<T> fma(const Block<T>& a, const Block<T>& b,
                                           const Block<T>& c) {
  return {pinn::fma(a.v[0], b.v[0], c.v[0]), pinn::fma(a.v[1], b.v[1], c.v[1]),
          pinn::fma(a.v[2], b.v[2], c.v[2]), pinn::fma(a.v[3], b.v[3], c.v[3])};
}

/// f(places) for the strips of a channel.
template <class T, class F> void each_strip(std::size_t points, F&& f) {
  for (std::size_t p = 0; p < points; p += strip_vectors * Vec<T>::size)
    f(Places::from<T>(p, points));
}

template <class T>
ChannelTerms<T> terms(const std::vector<JetTable::Product>& products, int channels) {
  ChannelTerms<T> result;
  auto p = products.begin();
  for (int k = 0; k < channels; ++k) {
    result.begin.push_back(int(result.terms.size()));
    for (; p != products.end() && p->k == k; ++p)
      result.terms.push_back({p->i, p->j, T(p->weight)});
  }
  result.begin.push_back(int(result.terms.size()));
  return result;
}

/// sum of weight * a(i) * b(j) over the terms of channel k; `a` and `b` give channels.
template <class T, class A, class B>
[[gnu::always_inline]] inline Block<T> sum(const ChannelTerms<T>& t, int k, A&& a, B&& b) {
  Block<T> total;
  for (int n = t.begin[k]; n < t.begin[k + 1]; ++n) {
    const auto& [i, j, weight] = t.terms[n];
    total = fma(splat(weight) * a(i), b(j), total);
  }
  return total;
}

}  // namespace

/// c[m] = f^(m)(h_0) / m! on a strip.
template <class T> struct BlockJet<T>::Strip {
  Block<T> c[max_derivative + 1];

  /// f^(k+m)(h_0) / m!, that is (k + m)! / m! c[k + m].
  Block<T> coefficient(int k, int m) const {
    double factor = 1;
    for (int i = m + 1; i <= m + k; ++i) factor *= i;
    return Vec<T>(factor) * c[k + m];
  }
};

template <class T>
BlockJet<T>::BlockJet(int op, double parameter, int k, const JetTable& table)
    : channels_(table.size()),
      order_(table.order()),
      k_(k),
      parameter_(parameter),
      value_series_(block_series_kernel<T>(op, k + std::max(1, order_))),
      slope_series_(block_series_kernel<T>(op, k + 1 + order_)),
      transposed_(terms<T>(table.transposed(), channels_)) {
  for (int m = 2; m <= order_; ++m)
    powers_.push_back({terms<T>(table.power(m).products, channels_), table.power(m).channels});
  find_small_kernels(op, table);
}

/// Looks for a table as the small kernels have them.
template <class T> void BlockJet<T>::find_small_kernels(int op, const JetTable& table) {
  std::vector<JetTable::Product> cross;
  for (const auto& p : table.products())
    if (p.i > 0 && p.j > 0) cross.push_back(p);
  const int firsts = cross.empty() ? channels_ - 1 : cross.front().k - 1;
  const int seconds = channels_ - 1 - firsts;
  if (order_ > 2 || firsts > small_firsts || seconds > small_seconds) return;
  small_weights_.assign(std::size_t(firsts * seconds), 0);
  for (const auto& p : cross) {
    if (p.i != p.j || p.i > firsts) return;
    small_weights_[std::size_t((p.k - 1 - firsts) * firsts + p.i - 1)] = T(p.weight);
  }
  small_ = small_kernels<T>(op, k_, firsts, seconds);
}

template <class T> std::size_t BlockJet<T>::scratch() const {
  return small_.value ? 0 : 4 * std::size_t(channels_) * sizeof(Block<T>) / sizeof(T);
}

template <class T>
void BlockJet<T>::value(std::size_t features, std::size_t points, BlockRows<const T> h,
                        BlockRows<T> y, T* scratch, BlockRows<T> slope) const {
  const SmallValue<T> jet = {
      {features, points, h, small_weights_.data(), value_series_, parameter_, k_}, y, slope};
  if (small_.value) return small_.value(jet);
  any_value(jet, scratch);
}

template <class T>
void BlockJet<T>::pullback(std::size_t features, std::size_t points, const Saved& saved,
                           BlockRows<const T> ybar, BlockRows<T> hbar, T* scratch) const {
  const SmallPullback<T> jet = {
      {features, points, saved.h, small_weights_.data(), slope_series_, parameter_, k_},
      saved.y,
      saved.slope,
      ybar,
      hbar};
  const auto kernel = saved.slope.data ? small_.kept_pullback : small_.pullback;
  if (kernel) return kernel(jet);
  any_pullback(jet, scratch);
}

template <class T> void BlockJet<T>::any_value(const SmallValue<T>& jet, T* scratch) const {
  Strip s;
  for (std::size_t j = 0; j < jet.features; ++j) {
    const T* h = jet.h.data + j * jet.h.stride;
    T* y = jet.y.data + j * jet.y.stride;
    each_strip<T>(jet.points, [&](const Places& at) {
      jet.series(at.load(h).v, parameter_, strip_vectors, s.c[0].v);
      const Block<T>* value = composed(s, at, jet.points, 0, h, scratch);
      for (int i = 0; i < channels_; ++i) at.store(y + i * jet.points, value[i]);
    });
  }
}

template <class T> void BlockJet<T>::any_pullback(const SmallPullback<T>& jet, T* scratch) const {
  Strip s;
  for (std::size_t j = 0; j < jet.features; ++j) {
    const T *h = jet.h.data + j * jet.h.stride, *ybar = jet.ybar.data + j * jet.ybar.stride;
    T* hbar = jet.hbar.data + j * jet.hbar.stride;
    each_strip<T>(jet.points, [&](const Places& at) {
      jet.series(at.load(h).v, parameter_, strip_vectors, s.c[0].v);
      const Block<T>* slope = composed(s, at, jet.points, 1, h, scratch);
      for (int i = 0; i < channels_; ++i) {
        const Block<T> value = sum(
            transposed_, i, [&](int k) { return at.load(ybar + k * jet.points); },
            [&](int l) { return slope[l]; });
        at.store(hbar + i * jet.points, value);
      }
    });
  }
}

/// The jet f^(k + shift)(h) = sum_m f^(k+shift+m)(h_0) n^m / m! on a strip.
template <class T>
const Block<T>* BlockJet<T>::composed(const Strip& s, const Places& at, std::size_t points,
                                      int shift, const T* h, T* scratch) const {
  Block<T>* n = reinterpret_cast<Block<T>*>(scratch);
  Block<T>*power = n + channels_, *next = power + channels_, *y = next + channels_;
  y[0] = s.coefficient(k_ + shift, 0);
  const Block<T> slope = s.coefficient(k_ + shift, 1);
  for (int i = 1; i < channels_; ++i) {
    n[i] = power[i] = at.load(h + i * points);
    y[i] = slope * n[i];
  }
  for (int m = 2; m <= order_; ++m, std::swap(power, next)) {
    const Power& p = powers_[m - 2];
    const Block<T> c = s.coefficient(k_ + shift, m);
    for (const int i : p.channels) {
      next[i] = sum(
          p.product, i, [&](int a) { return power[a]; }, [&](int b) { return n[b]; });
      y[i] = fma(c, next[i], y[i]);
    }
  }
  return y;
}

namespace {

template <class T>
void multiply(const std::vector<JetTable::Product>& products, int channels, std::size_t features,
              std::size_t points, BlockRows<const T> a, BlockRows<const T> b, BlockRows<T> y) {
  for (std::size_t j = 0; j < features; ++j) {
    const T *as = a.data + j * a.stride, *bs = b.data + j * b.stride;
    T* ys = y.data + j * y.stride;
    each_strip<T>(points, [&](const Places& at) {
      auto p = products.begin();
      for (int k = 0; k < channels; ++k) {
        Block<T> total;
        for (; p != products.end() && p->k == k; ++p)
          total = fma(Vec<T>(p->weight) * at.load(as + p->i * points), at.load(bs + p->j * points),
                      total);
        at.store(ys + k * points, total);
      }
    });
  }
}

}  // namespace

template <class T>
void block_jet_mul(const JetTable& table, std::size_t features, std::size_t points,
                   BlockRows<const T> a, BlockRows<const T> b, BlockRows<T> y) {
  multiply(table.products(), table.size(), features, points, a, b, y);
}

template <class T>
void block_jet_mul_transposed(const JetTable& table, std::size_t features, std::size_t points,
                              BlockRows<const T> g, BlockRows<const T> b, BlockRows<T> y) {
  multiply(table.transposed(), table.size(), features, points, g, b, y);
}

template class BlockJet<float>;
template class BlockJet<double>;
template void block_jet_mul<float>(const JetTable&, std::size_t, std::size_t,
                                   BlockRows<const float>, BlockRows<const float>,
                                   BlockRows<float>);
template void block_jet_mul<double>(const JetTable&, std::size_t, std::size_t,
                                    BlockRows<const double>, BlockRows<const double>,
                                    BlockRows<double>);
template void block_jet_mul_transposed<float>(const JetTable&, std::size_t, std::size_t,
                                              BlockRows<const float>, BlockRows<const float>,
                                              BlockRows<float>);
template void block_jet_mul_transposed<double>(const JetTable&, std::size_t, std::size_t,
                                               BlockRows<const double>, BlockRows<const double>,
                                               BlockRows<double>);

}  // namespace pinn::cpu
