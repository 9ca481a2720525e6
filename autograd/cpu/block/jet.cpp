#include "autograd/cpu/block/jet.h"

#include <algorithm>
#include <type_traits>

namespace pinn::cpu {

namespace {

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
};

/// A strip of one feature of a jet, channels being `points` numbers apart.
template <class T> struct Channels {
  const Places& places;
  T* first;
  std::size_t points;

  [[gnu::always_inline]] auto operator[](int channel) const {
    const T* from = first + std::size_t(channel) * points;
    using V = Vec<std::remove_const_t<T>>;
    return Vectors<std::remove_const_t<T>>{
        {V::load(from + places.at[0]), V::load(from + places.at[1]), V::load(from + places.at[2]),
         V::load(from + places.at[3])}};
  }
  [[gnu::always_inline]] void put(int channel, const Vectors<T>& b) const {
#pragma GCC unroll 4
    for (int l = 0; l < strip_vectors; ++l)
      b.v[l].store(first + std::size_t(channel) * points + places.at[l]);
  }
};

/// f(channels of each jet ...) for every strip of every feature.
template <class T, class F, class... Element>
void each_strip(std::size_t features, std::size_t points, F&& f,
                const BlockRows<Element>&... jets) {
  for (std::size_t j = 0; j < features; ++j)
    for (std::size_t p = 0; p < points; p += strip_vectors * Vec<T>::size) {
      const Places at = Places::from<T>(p, points);
      f(Channels<Element>{at, jets.data + j * jets.stride, points}...);
    }
}

}  // namespace

template <class T>
BlockJet<T>::BlockJet(int op, double parameter, int k, const JetTable& table, bool pulls_back)
    : table_(table),
      k_(k),
      parameter_(parameter),
      value_series_(block_series_kernel<T>(op, k + table.order() == max_derivative
                                                   ? max_derivative
                                                   : k + std::max(1, table.order()))),
      slope_series_(pulls_back ? block_series_kernel<T>(op, k + 1 + table.order()) : nullptr),
      value_(value_series_, parameter, k, table),
      slope_(slope_series_, parameter, k + 1, table) {
  if (k == max_derivative) return;  // what follows has a slope beside the value
  find_small_kernels(op);
  if (!small_.value && WideJet<T>::fits(table)) wide_.emplace(table);
}

/// Looks for a table as the small kernels have them.
template <class T> void BlockJet<T>::find_small_kernels(int op) {
  JetTable::Terms cross;
  for (const auto& p : table_.terms())
    if (p.i > 0 && p.j > 0) cross.push_back(p);
  const int channels = table_.size();
  const int firsts = cross.empty() ? channels - 1 : cross.front().k - 1;
  const int seconds = channels - 1 - firsts;
  if (table_.order() > 2 || firsts > small_firsts || seconds > firsts) return;
  small_weights_.assign(std::size_t(firsts * seconds), 0);
  for (const auto& p : cross) {
    if (p.i != p.j || p.i > firsts) return;
    small_weights_[std::size_t((p.k - 1 - firsts) * firsts + p.i - 1)] = T(p.weight);
  }
  small_ = small_kernels<T>(op, k_, firsts, seconds);
}

template <class T> std::size_t BlockJet<T>::scratch() const {
  return small_.value || wide_
             ? 0
             : (2 * std::size_t(table_.size()) + value_.work()) * sizeof(Vectors<T>) / sizeof(T);
}

template <class T>
void BlockJet<T>::value(std::size_t features, std::size_t points, BlockRows<const T> h,
                        BlockRows<T> y, T* scratch, BlockRows<T> slope) const {
  const SmallValue<T> jet = {
      {features, points, h, small_weights_.data(), value_series_, parameter_, k_}, y, slope};
  if (small_.value) return small_.value(jet);
  if (wide_) return wide_->value(jet);
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
  if (wide_) return wide_->pullback(jet);
  any_pullback(jet, scratch);
}

template <class T> void BlockJet<T>::any_value(const SmallValue<T>& jet, T* scratch) const {
  const int channels = table_.size();
  Vectors<T>*h = reinterpret_cast<Vectors<T>*>(scratch), *y = h + channels, *work = y + channels;
  const auto on_strip = [&](const auto& from, const auto& to) {
    for (int i = 0; i < channels; ++i) h[i] = from[i];
    value_(h, strip_vectors, work, y);
    for (int i = 0; i < channels; ++i) to.put(i, y[i]);
  };
  each_strip<T>(jet.features, jet.points, on_strip, jet.h, jet.y);
}

template <class T> void BlockJet<T>::any_pullback(const SmallPullback<T>& jet, T* scratch) const {
  const int channels = table_.size();
  Vectors<T>*h = reinterpret_cast<Vectors<T>*>(scratch), *slope = h + channels,
  *work = slope + channels;
  const auto on_strip = [&](const auto& from, const auto& ybar, const auto& hbar) {
    for (int i = 0; i < channels; ++i) h[i] = from[i];
    slope_(h, strip_vectors, work, slope);
    multiply_jets(table_.transposed(), ybar, slope,
                  [&](int i, const Vectors<T>& x) { hbar.put(i, x); });
  };
  each_strip<T>(jet.features, jet.points, on_strip, jet.h, jet.ybar, jet.hbar);
}

namespace {

template <class T>
void multiply(const JetTable::Terms& terms, std::size_t features, std::size_t points,
              BlockRows<const T> a, BlockRows<const T> b, BlockRows<T> y) {
  const auto on_strip = [&](const auto& left, const auto& right, const auto& to) {
    multiply_jets(terms, left, right, [&](int k, const Vectors<T>& x) { to.put(k, x); });
  };
  each_strip<T>(features, points, on_strip, a, b, y);
}

}  // namespace

template <class T>
void block_jet_mul(const JetTable& table, std::size_t features, std::size_t points,
                   BlockRows<const T> a, BlockRows<const T> b, BlockRows<T> y) {
  multiply(table.terms(), features, points, a, b, y);
}

template <class T>
void block_jet_mul_transposed(const JetTable& table, std::size_t features, std::size_t points,
                              BlockRows<const T> g, BlockRows<const T> b, BlockRows<T> y) {
  multiply(table.transposed(), features, points, g, b, y);
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
