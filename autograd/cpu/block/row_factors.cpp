#include "autograd/cpu/block/row_factors.h"

#include <algorithm>
#include <map>
#include <set>

#include "autograd/core/spare.h"
#include "autograd/cpu/block/product.h"
#include "autograd/cpu/vectors/kernel_vector.h"

namespace pinn {
namespace {

using Wide = Vec<double>;
constexpr std::size_t lanes = std::size_t(Wide::size);

/// y[a][b] = or += sum_c x[c][a] g[c][b] for A values of a and, from b on, B vectors.
template <std::size_t A, std::size_t B, bool adds>
[[gnu::always_inline]] inline void outer_tile(const RowFactor& f, const double* x, const double* g,
                                              double* y) {
  const std::size_t channels = f.channels, k = f.k, n = f.n;
  Wide sum[A][B];
#pragma GCC unroll 4
  for (std::size_t a = 0; a < A; ++a)
#pragma GCC unroll 4
    for (std::size_t b = 0; b < B; ++b)
      if (adds) sum[a][b] = Wide::load(y + a * n + b * lanes);
  for (std::size_t c = 0; c < channels; ++c, x += k, g += n) {
    Wide from[B];
#pragma GCC unroll 4
    for (std::size_t b = 0; b < B; ++b) from[b] = Wide::load(g + b * lanes);
#pragma GCC unroll 4
    for (std::size_t a = 0; a < A; ++a) {
      const Wide s = splat(x[a]);
#pragma GCC unroll 4
      for (std::size_t b = 0; b < B; ++b) sum[a][b] = fma(s, from[b], sum[a][b]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t a = 0; a < A; ++a)
#pragma GCC unroll 4
    for (std::size_t b = 0; b < B; ++b) sum[a][b].store(y + a * n + b * lanes);
}

template <bool adds>
void outer_product(const RowFactor& f, const double* x, const double* g, double* y) {
  const auto one = [&](std::size_t a, std::size_t b) {
    double sum = adds ? y[a * f.n + b] : 0;
    for (std::size_t c = 0; c < f.channels; ++c) sum += x[c * f.k + a] * g[c * f.n + b];
    y[a * f.n + b] = sum;
  };
  std::size_t a = 0;
  for (; a + 4 <= f.k; a += 4) {
    std::size_t b = 0;
    for (; vector_bytes == 64 && b + 4 * lanes <= f.n; b += 4 * lanes)  // of 32 registers 24
      outer_tile<4, 4, adds>(f, x + a, g + b, y + a * f.n + b);
    for (; b + 2 * lanes <= f.n; b += 2 * lanes)
      outer_tile<4, 2, adds>(f, x + a, g + b, y + a * f.n + b);
    for (; b + lanes <= f.n; b += lanes) outer_tile<4, 1, adds>(f, x + a, g + b, y + a * f.n + b);
    for (; b < f.n; ++b)
      for (std::size_t i = a; i < a + 4; ++i) one(i, b);
  }
  for (; a < f.k; ++a)
    for (std::size_t b = 0; b < f.n; ++b) one(a, b);
}

/// Row i of the factors of one parameter block to, or onto, y.
template <bool adds> void put_row(const RowFactor& f, std::size_t i, double* y) {
  const double* const x = f.x.data() + i * f.channels * f.k;
  if (!f.g.empty()) return outer_product<adds>(f, x, f.g.data() + i * f.channels * f.n, y);
  for (std::size_t e = 0; e < f.k; ++e) y[e] = adds ? y[e] + x[e] : x[e];
}

/// Whether no factor before is of the same parameter block.
bool is_first(std::span<const RowFactor> factors, std::size_t f) {
  for (std::size_t before = 0; before < f; ++before)
    if (factors[before].offset == factors[f].offset) return false;
  return true;
}

}  // namespace

void write_rows(std::span<const RowFactor> factors, std::size_t first, std::size_t count,
                std::size_t width, double* rows) {
  std::size_t covered = 0;
  for (std::size_t f = 0; f < factors.size(); ++f)
    if (is_first(factors, f)) covered += factors[f].k * std::max<std::size_t>(1, factors[f].n);
  for (std::size_t i = 0; i < count; ++i) {
    double* const row = rows + i * width;
    if (covered < width) std::fill_n(row, width, 0.0);
    for (std::size_t f = 0; f < factors.size(); ++f) {
      double* const to = row + factors[f].offset;
      is_first(factors, f) ? put_row<false>(factors[f], first + i, to)
                           : put_row<true>(factors[f], first + i, to);
    }
  }
}

double row_flops(std::span<const RowFactor> factors) {
  double flops = 0;
  for (const RowFactor& f : factors) flops += 2 * double(f.channels * f.k * f.n);
  return flops;
}

namespace {

/// From row to row of an array of so many columns: an odd number of cache lines, so that the rows
/// spread over the first cache.
template <class T> std::size_t stride_of(std::size_t columns) {
  const std::size_t line = 64 / sizeof(T), lines = (columns + line - 1) / line;
  return (lines + 1 - lines % 2) * line;
}

/// So many columns of one tile are multiplied with those of another at a time: the products stay in
/// the first cache until they are added up.
constexpr std::size_t panel = 16;

/// What rows of a tile get from one parameter block. Columns are channels times rows: column
/// c * tile + i. `elements`: there is no g.
template <class T> struct Side {
  /// values [width][columns], and the same packed as weights.
  struct Half {
    /// Room for the numbers; zeros where not all rows of the tile are there.
    void make_room(std::size_t width, std::size_t columns, bool partly) {
      values.resize(width * stride_of<T>(columns));
      if (partly) std::fill(values.begin(), values.end(), T(0));
    }
    void pack(std::size_t width, std::size_t columns) {
      packed.resize(width * columns);
      for (std::size_t at = 0; at < columns; at += panel)
        cpu::pack_weights(values.data() + at, stride_of<T>(columns), 1, width,
                          std::min(panel, columns - at), packed.data() + width * at);
    }
    std::vector<T> values, packed;
  };
  std::size_t columns = 0, k = 0, n = 0;
  Half x, g;
};

template <class T> class Tiles : public Gram {
 public:
  explicit Tiles(std::span<const std::vector<RowFactor>> layouts) {
    std::map<std::int64_t, bool> by_elements;
    std::size_t channels = 1;
    for (const std::vector<RowFactor>& factors : layouts) {
      std::map<std::int64_t, std::size_t> at;
      for (const RowFactor& f : factors) {
        const auto [known, is_new] = by_elements.emplace(f.offset, f.n == 0);
        if (!is_new && known->second != (f.n == 0)) mixed_.insert(f.offset);
        channels = std::max(channels, at[f.offset] += f.channels);
      }
    }
    tile_ = std::clamp<std::size_t>(128 / channels / 16 * 16, 16, 64);
  }

  std::size_t tile_rows() const override { return tile_; }
  void resize(std::size_t tiles) override { tiles_.resize(tiles); }

  void put(std::size_t tile, std::span<const RowFactor> factors, std::size_t first,
           std::size_t last) override {
    Tile& t = tiles_[tile];
    t.rows = last - first;
    std::map<std::int64_t, std::vector<const RowFactor*>> by_block;
    for (const RowFactor& f : factors) by_block[f.offset].push_back(&f);
    for (const auto& [offset, some] : by_block) {
      Side<T>& side = t.sides[offset];
      is_by_elements(offset, *some[0]) ? put_elements(side, some, first, last)
                                       : put_products(side, some, first, last);
    }
  }

  void multiply(std::size_t a, std::size_t b, double* k, std::size_t stride) override {
    const Tile &left = tiles_[a], &right = tiles_[b];
    const auto desk = desks_.borrow();
    std::vector<T>& sum = desk.thing->sum;
    sum.assign(tile_ * tile_, T(0));
    for (const auto& [offset, x] : left.sides) {
      const auto y = right.sides.find(offset);
      if (y != right.sides.end()) add(x, y->second, *desk.thing);
    }
    for (std::size_t i = 0; i < left.rows; ++i)
      for (std::size_t j = 0; j < right.rows; ++j) k[i * stride + j] = double(sum[i * tile_ + j]);
  }

  double flops(std::size_t a, std::size_t b) const override {
    double flops = 0;
    for (const auto& [offset, x] : tiles_[a].sides) {
      const auto y = tiles_[b].sides.find(offset);
      if (y == tiles_[b].sides.end()) continue;
      const double channels = double(x.columns / tile_) * double(y->second.columns / tile_);
      flops += 2 * channels * double(tiles_[a].rows * tiles_[b].rows) * double(x.k + x.n);
    }
    return a == b ? flops / 2 : flops;
  }

 private:
  struct Tile {
    std::size_t rows = 0;
    std::map<std::int64_t, Side<T>> sides;
  };
  struct Desk {
    std::vector<T> sum, xs, gs;
  };

  bool is_by_elements(std::int64_t offset, const RowFactor& f) const {
    return f.g.empty() || mixed_.count(offset) > 0;
  }

  /// All factors of a block multiplied out.
  void put_elements(Side<T>& side, const std::vector<const RowFactor*>& factors, std::size_t first,
                    std::size_t last) const {
    const RowFactor& one = *factors[0];
    side.columns = tile_;
    side.k = one.g.empty() ? one.k : one.k * one.n;
    side.x.make_room(side.k, side.columns, last - first < tile_);
    const std::size_t stride = stride_of<T>(side.columns);
    std::vector<double> row(side.k);
    for (std::size_t i = first; i < last; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      for (const RowFactor* f : factors) put_row<true>(*f, i, row.data());
      for (std::size_t e = 0; e < side.k; ++e) side.x.values[e * stride + i - first] = T(row[e]);
    }
    side.x.pack(side.k, side.columns);
  }

  /// The factors of a block side by side: their channels are those of one outer product.
  void put_products(Side<T>& side, const std::vector<const RowFactor*>& factors, std::size_t first,
                    std::size_t last) const {
    std::size_t channels = 0;
    for (const RowFactor* f : factors) channels += f->channels;
    side.columns = channels * tile_;
    side.k = factors[0]->k;
    side.n = factors[0]->n;
    for (auto* half : {&side.x, &side.g})
      half->make_room(half == &side.x ? side.k : side.n, side.columns, last - first < tile_);
    const std::size_t stride = stride_of<T>(side.columns);
    std::size_t at = 0;
    for (const RowFactor* f : factors)
      for (std::size_t c = 0; c < f->channels; ++c, at += tile_)
        for (std::size_t i = first; i < last; ++i) {
          const double* const x = f->x.data() + (i * f->channels + c) * f->k;
          const double* const g = f->g.data() + (i * f->channels + c) * f->n;
          for (std::size_t e = 0; e < side.k; ++e)
            side.x.values[e * stride + at + i - first] = T(x[e]);
          for (std::size_t e = 0; e < side.n; ++e)
            side.g.values[e * stride + at + i - first] = T(g[e]);
        }
    side.x.pack(side.k, side.columns);
    side.g.pack(side.n, side.columns);
  }

  /// products [count][columns of b] of columns `at` ... of a.
  static void multiply_half(const typename Side<T>::Half& a, const typename Side<T>::Half& b,
                            std::size_t width, std::size_t at, std::size_t count,
                            std::size_t columns, std::vector<T>& products) {
    const std::size_t stride = stride_of<T>(columns);
    products.resize(count * stride);
    cpu::block_product(cpu::BlockProduct<T>{a.packed.data() + width * at, width, count, columns,
                                            b.values.data(), stride, products.data(), stride});
  }

  void add(const Side<T>& a, const Side<T>& b, Desk& desk) const {
    for (std::size_t at = 0; at < a.columns; at += panel) {
      const std::size_t count = std::min(panel, a.columns - at);
      multiply_half(a.x, b.x, a.k, at, count, b.columns, desk.xs);
      if (a.n > 0) multiply_half(a.g, b.g, a.n, at, count, b.columns, desk.gs);
      for (std::size_t row = 0; row < count; ++row)
        add_row(b.columns, a.n > 0, row * stride_of<T>(b.columns), desk,
                desk.sum.data() + (at + row) % tile_ * tile_);
    }
  }

  /// A row of products of x, times those of g, channel by channel.
  void add_row(std::size_t columns, bool both, std::size_t from, const Desk& desk, T* sum) const {
    constexpr std::size_t wide = std::size_t(Vec<T>::size);
    for (std::size_t j = 0; j < tile_; j += wide) {
      Vec<T> total = Vec<T>::load(sum + j);
      for (std::size_t column = j; column < columns; column += tile_) {
        const Vec<T> x = Vec<T>::load(desk.xs.data() + from + column);
        total = total + (both ? x * Vec<T>::load(desk.gs.data() + from + column) : x);
      }
      total.store(sum + j);
    }
  }

  std::size_t tile_ = 16;
  std::set<std::int64_t> mixed_;  ///< parameter blocks with products here and elements there
  std::vector<Tile> tiles_;
  Spare<Desk> desks_;
};

}  // namespace

std::unique_ptr<Gram> Gram::make(DType dtype, std::span<const std::vector<RowFactor>> layouts) {
  if (dtype == DType::float32) return std::make_unique<Tiles<float>>(layouts);
  return std::make_unique<Tiles<double>>(layouts);
}

}  // namespace pinn
