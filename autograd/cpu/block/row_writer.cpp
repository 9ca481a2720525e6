#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <type_traits>

#include "autograd/core/aligned.h"
#include "autograd/cpu/block/row_algebra.h"
#include "autograd/cpu/vectors/kernel_vector.h"
#include "autograd/cpu/vectors/processor.h"
#include "autograd/cpu/vectors/transpose.h"

namespace pinn::cpu {
namespace {

/// y [k][n] = or += sum_c x[c] g[c]^T with x [channels][k], g [channels][n].
template <class T> struct Outer {
  std::size_t k, n;
  const T *x, *g;
  T* y;
};

/// Channels that are summed in one pass, and the vectors of g that are kept in registers for it. A
/// vector of y costs a multiply-add per channel and one store, and nothing else is in the way: with
/// two multiply-adds and one store in a cycle, the units of either are busy from two channels on.
constexpr int channels_max = 6;
template <int channels>
constexpr int vectors_max = int(std::bit_floor(unsigned(std::min(8, (vector_bytes == 64 ? 24 : 12) /
                                                                        channels))));

/// Columns b ... of so many vectors.
template <class T, int channels, int vectors, bool adds>
void outer_columns(const Outer<T>& o, std::size_t b) {
  constexpr std::size_t size = Vec<T>::size;
  const std::size_t k = o.k, n = o.n;
  Vec<T> g[channels][vectors];
#pragma GCC unroll 8
  for (int c = 0; c < channels; ++c)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) g[c][v] = Vec<T>::load(o.g + c * n + b + v * size);
  const T* x = o.x;
  T* y = o.y + b;
#pragma GCC unroll 2
  for (std::size_t a = 0; a < k; ++a, ++x, y += n) {
    Vec<T> s[channels];
#pragma GCC unroll 8
    for (int c = 0; c < channels; ++c) s[c] = splat(x[c * k]);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      Vec<T> sum = adds ? fma(s[0], g[0][v], Vec<T>::load(y + v * size)) : s[0] * g[0][v];
#pragma GCC unroll 8
      for (int c = 1; c < channels; ++c) sum = fma(s[c], g[c][v], sum);
      sum.store(y + v * size);
    }
  }
}

/// As many columns from b on as are whole vectors; where they end.
template <class T, int channels, int vectors, bool adds>
std::size_t outer_vectors(const Outer<T>& o, std::size_t b) {
  constexpr std::size_t step = std::size_t(vectors * Vec<T>::size);
  for (; b + step <= o.n; b += step) outer_columns<T, channels, vectors, adds>(o, b);
  if constexpr (vectors > 1) b = outer_vectors<T, channels, vectors / 2, adds>(o, b);
  return b;
}

template <class T, int channels, bool adds> void outer_pass(const Outer<T>& o) {
  std::size_t b = outer_vectors<T, channels, vectors_max<channels>, adds>(o, 0);
  if (!adds && b > 0 && b < o.n) {  // the last vector writes some numbers again
    outer_columns<T, channels, 1, adds>(o, o.n - Vec<T>::size);
    return;
  }
  for (; b < o.n; ++b)
    for (std::size_t a = 0; a < o.k; ++a) {
      T sum = adds ? o.y[a * o.n + b] : T(0);
      for (int c = 0; c < channels; ++c) sum += o.x[c * o.k + a] * o.g[c * o.n + b];
      o.y[a * o.n + b] = sum;
    }
}

template <class T, int channels = channels_max>
void outer_pass(const Outer<T>& o, std::size_t count, bool adds) {
  if constexpr (channels > 1)
    if (count < channels) return outer_pass<T, channels - 1>(o, count, adds);
  adds ? outer_pass<T, channels, true>(o) : outer_pass<T, channels, false>(o);
}

template <class T> void outer_product(Outer<T> o, std::size_t channels, bool adds) {
  if (o.n == 1) {
    std::swap(o.k, o.n);
    std::swap(o.x, o.g);
  }
  const std::size_t passes = parts_of(channels, channels_max);
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const std::size_t first = part_begin(channels, passes, pass);
    const std::size_t count = part_begin(channels, passes, pass + 1) - first;
    outer_pass<T>({o.k, o.n, o.x + first * o.k, o.g + first * o.n, o.y}, count, adds || pass > 0);
  }
}

constexpr std::size_t no_group = std::numeric_limits<std::size_t>::max();

template <class T> constexpr std::size_t size_of_group = std::size_t(Vec<T>::size);

/// Numbers that x, or g, of a row fill: whole vectors, of any type and processor.
std::size_t room_of(std::size_t numbers) { return parts_of(numbers, 16) * 16; }

/// One group of rows of `count` lanes to to[row][count], rows `stride` apart. Lanes that a vector
/// has beyond the last repeat it.
template <class Step, class T>
void gather_lanes(const void* const* lanes, std::size_t count, std::size_t first, T* to,
                  std::size_t stride) {
  constexpr std::size_t size = size_of_group<Step>;
  for (std::size_t e = 0; e < count; e += size) {
    Vec<Step> v[size];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < size; ++i)
      v[i] = Vec<Step>::load(static_cast<const Step*>(lanes[std::min(e + i, count - 1)]) + first);
    transpose<int(size) / 2>(v);
    if constexpr (std::is_same_v<Step, T>) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < size; ++i) v[i].store(to + i * stride + e);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        Step numbers[size];
        v[i].store(numbers);
        std::copy(numbers, numbers + size, to + i * stride + e);
      }
    }
  }
}

/// Rows come as lanes and are needed one by one: as many at a time as a vector has numbers.
template <class T> class LaneRowWriter : public RowWriter<T> {
 public:
  void take(DType step, std::span<const RowFactor> factors) override;
  void write(std::size_t first, std::size_t count, std::size_t width, T* rows,
             std::size_t stride) override;

 private:
  /// A factor, and where its numbers of a row are gathered.
  struct GatheredFactor {
    RowFactor factor;
    std::size_t x, g;
    bool adds;  ///< to another factor of the same parameter block
  };

  template <class Step> void gather(std::size_t group);
  void put_row(const T* from, T* row) const;

  DType step_ = DType::float64;
  std::vector<GatheredFactor> factors_;
  std::size_t group_ = 0, size_ = 0;  ///< which rows are gathered; numbers of one
  std::size_t covered_ = 0;           ///< parameters that the factors are of
  Aligned<T> gathered_;               ///< as many rows as a vector has numbers: x, g, x, g, ...
};

template <class T> void LaneRowWriter<T>::take(DType step, std::span<const RowFactor> factors) {
  step_ = step;
  factors_.clear();
  group_ = no_group;
  size_ = 64 / sizeof(T);  // an odd number of cache lines for float64
  covered_ = 0;
  for (const RowFactor& f : factors) {
    const bool adds =
        std::any_of(factors_.begin(), factors_.end(),
                    [&](const GatheredFactor& before) { return before.factor.offset == f.offset; });
    const std::size_t x = size_, g = x + room_of(f.channels * f.k);
    factors_.push_back({f, x, g, adds});
    size_ = g + room_of(f.g ? f.channels * f.n : 0);
    covered_ += adds ? 0 : f.g ? f.k * f.n : f.k;
  }
}

template <class T> template <class Step> void LaneRowWriter<T>::gather(std::size_t group) {
  const std::size_t first = group * size_of_group<Step>;
  gathered_.make_room(size_of_group<Step> * size_);
  T* const to = gathered_.data();
  for (const auto& [f, x, g, adds] : factors_) {
    gather_lanes<Step>(f.x, f.channels * f.k, first, to + x, size_);
    if (f.g) gather_lanes<Step>(f.g, f.channels * f.n, first, to + g, size_);
  }
  group_ = group;
}

template <class T> void LaneRowWriter<T>::put_row(const T* from, T* row) const {
  for (const auto& [f, x, g, adds] : factors_) {
    T* const y = row + f.offset;
    if (f.g)
      outer_product<T>({f.k, f.n, from + x, from + g, y}, f.channels, adds);
    else if (adds)
      std::transform(y, y + f.k, from + x, y, std::plus());
    else
      std::copy_n(from + x, f.k, y);
  }
}

template <class T>
void LaneRowWriter<T>::write(std::size_t first, std::size_t count, std::size_t width, T* rows,
                             std::size_t stride) {
  const FlushDenormals mode;
  for (std::size_t i = first; i < first + count; ++i, rows += stride) {
    if (covered_ < width) std::fill_n(rows, width, T(0));
    visit_floating(step_, [&]<class Step>(Step) {
      constexpr std::size_t size = size_of_group<Step>;
      if (i / size != group_) gather<Step>(i / size);
      put_row(gathered_.data() + i % size * size_, rows);
    });
  }
}

}  // namespace

template <class T> std::unique_ptr<RowWriter<T>> make_row_writer() {
  return std::make_unique<LaneRowWriter<T>>();
}
template std::unique_ptr<RowWriter<float>> make_row_writer<float>();
template std::unique_ptr<RowWriter<double>> make_row_writer<double>();

}  // namespace pinn::cpu
