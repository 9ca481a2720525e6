#include "autograd/cpu/block_jet.h"

#include <algorithm>
#include <utility>

#include "autograd/cpu/block_vector.h"
#include "autograd/cpu/jet_strip.h"

namespace pinn::cpu {
namespace {

template <class T> Block<T> fma(const Block<T>& a, const Block<T>& b, const Block<T>& c) {
  return {pinn::fma(a.v[0], b.v[0], c.v[0]), pinn::fma(a.v[1], b.v[1], c.v[1]),
          pinn::fma(a.v[2], b.v[2], c.v[2]), pinn::fma(a.v[3], b.v[3], c.v[3])};
}

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
  template <class T> Block<T> load(const T* channel) const {
    Block<T> b;
    for (int l = 0; l < strip_vectors; ++l) b.v[l] = Vec<T>::load(channel + at[l]);
    return b;
  }
  template <class T> void store(T* channel, const Block<T>& b) const {
    for (int l = 0; l < strip_vectors; ++l) b.v[l].store(channel + at[l]);
  }
  template <class T> void store(T* channel, const Block<T>& b, bool add) const {
    store(channel, add ? load(channel) + b : b);
  }
};

/// f(places) for the strips of a channel.
template <class T, class F> void each_strip(std::size_t points, F&& f) {
  for (std::size_t p = 0; p < points; p += strip_vectors * Vec<T>::size)
    f(Places::from<T>(p, points));
}

/// From a list of products sorted by k, those that `keep` wants.
template <class T, class Keep>
ChannelTerms<T> terms(const std::vector<JetTable::Product>& products, int channels, Keep&& keep) {
  ChannelTerms<T> result;
  auto p = products.begin();
  for (int k = 0; k < channels; ++k) {
    result.begin.push_back(int(result.terms.size()));
    for (; p != products.end() && p->k == k; ++p)
      if (keep(*p)) result.terms.push_back({p->i, p->j, T(p->weight)});
  }
  result.begin.push_back(int(result.terms.size()));
  return result;
}
template <class T>
ChannelTerms<T> terms(const std::vector<JetTable::Product>& products, int channels) {
  return terms<T>(products, channels, [](const JetTable::Product&) { return true; });
}

/// a_i b_j + a_j b_i is one term where a and b are the same jet.
template <class T> ChannelTerms<T> squared(const ChannelTerms<T>& t) {
  ChannelTerms<T> result;
  for (std::size_t k = 0; k + 1 < t.begin.size(); ++k) {
    result.begin.push_back(int(result.terms.size()));
    for (int n = t.begin[k]; n < t.begin[k + 1]; ++n) {
      const auto& term = t.terms[n];
      if (term.i <= term.j)
        result.terms.push_back({term.i, term.j, term.weight * T(term.i < term.j ? 2 : 1)});
    }
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

/// The derivatives at the value's channel of a strip: c[m] = f^(m)(h_0) / m!.
template <class T> struct BlockJet<T>::Strip {
  Places at;
  std::size_t points;
  int k;
  Block<T> c[max_derivative + 1];

  /// f^(k+m)(h_0) / m!, that is (k + m)! / m! c[k + m].
  Block<T> coefficient(int shift, int m) const {
    double factor = 1;
    for (int i = m + 1; i <= m + k + shift; ++i) factor *= i;
    return Vec<T>(factor) * c[k + shift + m];
  }
  Block<T> load(const T* jet, int channel) const { return at.load(jet + channel * points); }
};

template <class T>
BlockJet<T>::BlockJet(int op, double parameter, int k, const JetTable& table)
    : channels_(table.size()),
      order_(table.order()),
      k_(k),
      parameter_(parameter),
      value_series_(block_series_kernel<T>(op, k + order_)),
      slope_series_(block_series_kernel<T>(op, k + 1 + order_)),
      kept_(k == 0 ? kept_kernel<T>(op, 1 + order_) : nullptr),
      transposed_(terms<T>(table.transposed(), channels_)) {
  const auto nilpotent = [](const JetTable::Product& p) { return p.i > 0 && p.j > 0; };
  cross_ = squared(terms<T>(table.products(), channels_, nilpotent));
  crossed_ = terms<T>(table.transposed(), channels_,
                      [](const JetTable::Product& p) { return p.k > 0 && p.j > 0; });
  for (int m = 2; m <= order_; ++m)
    powers_.push_back({terms<T>(table.power(m).products, channels_), table.power(m).channels});
}

template <class T> std::size_t BlockJet<T>::scratch() const {
  return order_ > 2 ? 4 * std::size_t(channels_) * sizeof(Block<T>) / sizeof(T) : 0;
}

template <class T>
void BlockJet<T>::value(std::size_t features, std::size_t points, BlockRows<const T> h,
                        BlockRows<T> y, T* scratch, BlockRows<T> slope) const {
  const auto series = slope.data && k_ + order_ == 0 ? slope_series_ : value_series_;
  Strip s;
  s.points = points;
  s.k = k_;
  for (std::size_t j = 0; j < features; ++j) {
    const T* own = h.data + j * h.stride;
    T* result = y.data + j * y.stride;
    each_strip<T>(points, [&](const Places& at) {
      s.at = at;
      series(at.load(own).v, parameter_, strip_vectors, s.c[0].v);
      if (slope.data) at.store(slope.data + j * slope.stride, s.c[1]);
      if (order_ <= 2)
        second_order_value(s, own, result);
      else
        any_order_value(s, own, result, scratch);
    });
  }
}

template <class T>
void BlockJet<T>::pullback(std::size_t features, std::size_t points, const Saved& saved,
                           BlockRows<const T> ybar, BlockRows<T> hbar, T* scratch, bool add) const {
  Strip s;
  s.points = points;
  s.k = k_;
  for (std::size_t j = 0; j < features; ++j) {
    const T* h = saved.h.data + j * saved.h.stride;
    const T* from = ybar.data + j * ybar.stride;
    T* result = hbar.data + j * hbar.stride;
    each_strip<T>(points, [&](const Places& at) {
      s.at = at;
      if (saved.slope.data)
        kept_(at.load(saved.y.data + j * saved.y.stride).v,
              at.load(saved.slope.data + j * saved.slope.stride).v, s.c[0].v);
      else
        slope_series_(at.load(h).v, parameter_, strip_vectors, s.c[0].v);
      if (order_ <= 2)
        second_order_pullback(s, h, from, result, add);
      else
        any_order_pullback(s, h, from, result, add, scratch);
    });
  }
}

/// y_k = f' h_k + f''/2 sum w h_i h_j, read where it lies.
template <class T> void BlockJet<T>::second_order_value(const Strip& s, const T* h, T* y) const {
  const Block<T> f1 = s.coefficient(0, std::min(1, order_));
  const Block<T> f2 = s.coefficient(0, order_);
  const auto part = [&](int i) { return s.load(h, i); };
  s.at.store(y, s.coefficient(0, 0));
  for (int k = 1; k < channels_; ++k) {
    Block<T> value = f1 * part(k);
    if (cross_.begin[k] < cross_.begin[k + 1]) value = fma(f2, sum(cross_, k, part, part), value);
    s.at.store(y + k * s.points, value);
  }
}

/// With g = f'(h): hbar_0 = sum ybar_k g_k and hbar_i = f' ybar_i + f'' sum w ybar_k h_j. A channel
/// reads ybar only of itself and of later ones, so hbar may take its place.
template <class T>
void BlockJet<T>::second_order_pullback(const Strip& s, const T* h, const T* ybar, T* hbar,
                                        bool add) const {
  const Block<T> f1 = s.coefficient(1, 0);
  const Block<T> f2 = s.coefficient(1, std::min(1, order_)), f3 = s.coefficient(1, order_);
  const auto part = [&](int i) { return s.load(h, i); };
  const auto bar = [&](int i) { return s.load(ybar, i); };
  Block<T> total = f1 * bar(0);
  for (int k = 1; k < channels_; ++k) {
    Block<T> slope = f2 * part(k);
    if (cross_.begin[k] < cross_.begin[k + 1]) slope = fma(f3, sum(cross_, k, part, part), slope);
    total = fma(bar(k), slope, total);
  }
  s.at.store(hbar, total, add);
  for (int i = 1; i < channels_; ++i) {
    Block<T> value = f1 * bar(i);
    if (crossed_.begin[i] < crossed_.begin[i + 1])
      value = fma(f2, sum(crossed_, i, bar, part), value);
    s.at.store(hbar + i * s.points, value, add);
  }
}

/// The jet f^(k + shift)(h): sum_m f^(k+shift+m)(h_0) n^m / m!.
template <class T>
const Block<T>* BlockJet<T>::composed(const Strip& s, int shift, const T* h, T* scratch) const {
  Block<T>* n = reinterpret_cast<Block<T>*>(scratch);
  Block<T>*power = n + channels_, *next = power + channels_, *y = next + channels_;
  const Block<T> slope = s.coefficient(shift, 1);
  y[0] = s.coefficient(shift, 0);
  for (int i = 1; i < channels_; ++i) {
    n[i] = power[i] = s.load(h, i);
    y[i] = slope * n[i];
  }
  for (int m = 2; m <= order_; ++m, std::swap(power, next)) {
    const Power& p = powers_[m - 2];
    const Block<T> c = s.coefficient(shift, m);
    for (const int i : p.channels) {
      next[i] = sum(
          p.product, i, [&](int a) { return power[a]; }, [&](int b) { return n[b]; });
      y[i] = fma(c, next[i], y[i]);
    }
  }
  return y;
}

template <class T>
void BlockJet<T>::any_order_value(const Strip& s, const T* h, T* y, T* scratch) const {
  const Block<T>* value = composed(s, 0, h, scratch);
  for (int i = 0; i < channels_; ++i) s.at.store(y + i * s.points, value[i]);
}

template <class T>
void BlockJet<T>::any_order_pullback(const Strip& s, const T* h, const T* ybar, T* hbar, bool add,
                                     T* scratch) const {
  const Block<T>* slope = composed(s, 1, h, scratch);
  for (int i = 0; i < channels_; ++i) {
    const Block<T> value = sum(
        transposed_, i, [&](int k) { return s.load(ybar, k); }, [&](int j) { return slope[j]; });
    s.at.store(hbar + i * s.points, value, add);
  }
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
