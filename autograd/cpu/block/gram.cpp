#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "autograd/core/aligned.h"
#include "autograd/core/spare.h"
#include "autograd/cpu/block/row_algebra.h"
#include "autograd/cpu/vectors/kernel_vector.h"
#include "autograd/cpu/vectors/processor.h"

namespace pinn::cpu {
namespace {

/// Rows of a tile.
template <class T> constexpr std::size_t tile_rows = rows_together(sizeof(T));

/// Products of rows of a with rows of b that are summed in registers: so many of a, and vectors of
/// rows of b.
constexpr int panel = 5, vectors_max = vector_bytes == 64 ? 5 : 2;
/// Panels whose products wait for those of g, in the first cache.
constexpr std::size_t panels_max = 4;

/// A panel of rows of a against vectors of rows of b, both [width][tile_rows].
template <class T> struct Panel {
  const T *a, *b;
  std::size_t width;
  T* products;  ///< [panel][vectors], that wait
  T* sums;      ///< [panel][tile_rows]
  T scale;
};

enum class Way {
  keep,      ///< products = a . b
  add,       ///< sums += scale * a . b
  multiply,  ///< sums += scale * products * a . b
};

template <class T, int vectors, Way way> void multiply(const Panel<T>& p) {
  constexpr std::size_t size = Vec<T>::size;
  Vec<T> sum[panel][vectors];
  const T *a = p.a, *b = p.b;
#pragma GCC unroll 2
  for (std::size_t e = p.width; e > 0; --e, a += tile_rows<T>, b += tile_rows<T>) {
    Vec<T> bs[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) bs[v] = Vec<T>::load(b + v * size);
#pragma GCC unroll 16
    for (int i = 0; i < panel; ++i) {
      const Vec<T> all = splat(a[i]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sum[i][v] = fma(all, bs[v], sum[i][v]);
    }
  }
  const Vec<T> scale = splat(p.scale);
#pragma GCC unroll 16
  for (int i = 0; i < panel; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      T* const products = p.products + (i * vectors + v) * size;
      T* const sums = p.sums + i * tile_rows<T> + v * size;
      if constexpr (way == Way::keep) {
        sum[i][v].store(products);
      } else {
        Vec<T> all = scale * sum[i][v];
        if constexpr (way == Way::multiply) all = all * Vec<T>::load(products);
        (Vec<T>::load(sums) + all).store(sums);
      }
    }
}

template <class T, Way way>
constexpr auto kernels = []<int... v>(std::integer_sequence<int, v...>) {
  return std::array{multiply<T, v + 1, way>...};
}
(std::make_integer_sequence<int, vectors_max>{});

/// Entries of rows for one parameter block: products x, g of channels, or elements x.
struct Source {
  std::size_t elements = 0;  ///< of the block
  std::size_t channels = 0, k = 0, n = 0;
  bool multiplied = false;  ///< out, to elements

  /// As products cost less where the block is large: c^2 (k + n) against k n for two rows.
  void choose() {
    multiplied = multiplied || elements <= channels * channels * (k + n);
    if (multiplied) *this = {elements, 1, elements, 0, true};
  }
};

/// Entries of a tile's rows for one parameter block.
template <class T> struct Side {
  std::size_t channels = 0;  ///< 0: nothing
  Aligned<T> x, g;           ///< [channels][k or n][tile_rows]
};

template <class T> struct Tile {
  std::size_t rows = 0;
  std::vector<Side<T>> sides;  ///< of each source
};

template <class T> class Tiles : public Gram {
 public:
  explicit Tiles(std::span<const std::vector<RowFactor>> layouts) {
    for (const std::vector<RowFactor>& factors : layouts) {
      std::map<std::int64_t, std::size_t> channels;
      for (const RowFactor& f : factors) {
        const auto [known, is_new] = known_.emplace(f.offset, sources_.size());
        if (is_new) sources_.push_back({});
        Source& s = sources_[known->second];
        s.elements = f.n == 0 ? f.k : f.k * f.n;
        if (f.n == 0)
          s.multiplied = true;
        else
          s.k = f.k, s.n = f.n;
        s.channels = std::max(s.channels, channels[f.offset] += f.channels);
      }
    }
    for (Source& s : sources_) s.choose();
  }

  std::size_t tile_rows() const override { return cpu::tile_rows<T>; }
  void resize(std::size_t tiles) override { tiles_.resize(tiles); }

  void put(std::size_t tile, std::span<const RowFactor> factors, std::size_t first,
           std::size_t last) override {
    const FlushDenormals mode;
    Tile<T>& t = tiles_[tile];
    t.rows = last - first;
    t.sides.resize(sources_.size());
    for (Side<T>& side : t.sides) side.channels = 0;
    for (const RowFactor& f : factors) {
      const std::size_t s = known_.at(f.offset);
      sources_[s].multiplied ? put_elements(sources_[s], t.sides[s], f, first, t.rows)
                             : put_products(sources_[s], t.sides[s], f, first, t.rows);
    }
  }

  void multiply(std::size_t a, std::size_t b, double* k, double* transposed,
                std::size_t stride) override {
    const FlushDenormals mode;
    const Tile<T>&left = tiles_[a], &right = tiles_[b];
    const auto scratch = scratches_.borrow();
    T* const sums = scratch.thing->sums.data();
    std::fill_n(sums, across * across, T(0));
    for (std::size_t s = 0; s < sources_.size(); ++s)
      add(sources_[s], left.sides[s], right.sides[s], left.rows, right.rows, *scratch.thing);
    for (std::size_t i = 0; i < left.rows; ++i)
      for (std::size_t j = 0; j < right.rows; ++j)
        k[i * stride + j] =
            double(a == b ? sums[i * across + j] + sums[j * across + i] : sums[i * across + j]);
    for (std::size_t j = 0; j < right.rows && a != b; ++j)
      for (std::size_t i = 0; i < left.rows; ++i)
        transposed[j * stride + i] = double(sums[i * across + j]);
  }

  double flops(std::size_t a, std::size_t b) const override {
    double flops = 0;
    for (std::size_t s = 0; s < sources_.size(); ++s)
      flops += 2 * double(tiles_[a].sides[s].channels * tiles_[b].sides[s].channels) *
               double(sources_[s].k + sources_[s].n);
    flops *= double(tiles_[a].rows * tiles_[b].rows);
    return a == b ? flops / 2 : flops;
  }

 private:
  static constexpr std::size_t across = cpu::tile_rows<T>;
  static constexpr std::size_t size = std::size_t(Vec<T>::size);
  struct Scratch {
    Aligned<T> sums{across * across}, products{panels_max * panel * vectors_max * size};
  };

  /// Adds a factor multiplied out.
  void put_elements(const Source& source, Side<T>& side, const RowFactor& f, std::size_t first,
                    std::size_t rows) const {
    if (side.channels == 0) {
      side.x.make_room(source.k * across);
      std::fill_n(side.x.data(), source.k * across, T(0));
      side.channels = 1;
    }
    T* to = side.x.data();
    for (std::size_t e = 0; e < f.k && !f.g; ++e, to += across) {
      const T* const x = lane(f.x[e], first);
      for (std::size_t i = 0; i < rows; ++i) to[i] += x[i];
    }
    for (std::size_t a = 0; a < f.k && f.g; ++a)
      for (std::size_t b = 0; b < f.n; ++b, to += across)
        for (std::size_t c = 0; c < f.channels; ++c) {
          const T* const x = lane(f.x[c * f.k + a], first);
          const T* const g = lane(f.g[c * f.n + b], first);
          for (std::size_t i = 0; i < rows; ++i) to[i] += x[i] * g[i];
        }
  }

  /// The factors of a block side by side: their channels are those of one outer product.
  void put_products(const Source& source, Side<T>& side, const RowFactor& f, std::size_t first,
                    std::size_t rows) const {
    side.x.make_room(source.channels * source.k * across);
    side.g.make_room(source.channels * source.n * across);
    put_lanes(f.x, f.channels * f.k, first, rows, side.x.data() + side.channels * f.k * across);
    put_lanes(f.g, f.channels * f.n, first, rows, side.g.data() + side.channels * f.n * across);
    side.channels += f.channels;
  }
  static void put_lanes(const void* const* lanes, std::size_t count, std::size_t first,
                        std::size_t rows, T* to) {
    for (std::size_t e = 0; e < count; ++e, to += across) {
      std::copy_n(lane(lanes[e], first), rows, to);
      std::fill(to + rows, to + across, T(0));
    }
  }
  static const T* lane(const void* lane, std::size_t first) {
    return static_cast<const T*>(lane) + first;
  }

  /// Panels first ... last - 1 of a tile against some vectors of another.
  struct Part {
    std::size_t first, last, vector, vectors;
  };
  template <Way way>
  static void each_panel(const Part& part, const T* a, const T* b, std::size_t width, T scale,
                         Scratch& scratch) {
    T* products = scratch.products.data();
    for (std::size_t i = part.first; i < part.last; ++i, products += panel * vectors_max * size)
      kernels<T, way>[part.vectors - 1](
          {a + i * panel, b + part.vector * size, width, products,
           scratch.sums.data() + i * panel * across + part.vector * size, scale});
  }

  /// Adds the products of two sides to the sums; of a tile with itself half of them, so that this
  /// and its transpose are all.
  void add(const Source& source, const Side<T>& a, const Side<T>& b, std::size_t rows_of_a,
           std::size_t rows_of_b, Scratch& scratch) const {
    const std::size_t panels = parts_of(rows_of_a, panel);
    const std::size_t vectors = parts_of(rows_of_b, size);
    for (std::size_t v = 0; v < vectors; v += vectors_max)
      for (std::size_t d = 0; d < b.channels; ++d)
        for (std::size_t c = 0; c < (&a == &b ? d + 1 : a.channels); ++c) {
          const T scale = &a == &b && c == d ? T(0.5) : T(1);
          const T* const ax = a.x.data() + c * source.k * across;
          const T* const bx = b.x.data() + d * source.k * across;
          for (std::size_t first = 0; first < panels; first += panels_max) {
            const Part part{first, std::min(panels, first + panels_max), v,
                            std::min<std::size_t>(vectors_max, vectors - v)};
            if (source.multiplied) {
              each_panel<Way::add>(part, ax, bx, source.k, scale, scratch);
              continue;
            }
            each_panel<Way::keep>(part, ax, bx, source.k, scale, scratch);
            each_panel<Way::multiply>(part, a.g.data() + c * source.n * across,
                                      b.g.data() + d * source.n * across, source.n, scale, scratch);
          }
        }
  }

  std::vector<Source> sources_;
  std::map<std::int64_t, std::size_t> known_;  ///< which source an offset is
  std::vector<Tile<T>> tiles_;
  Spare<Scratch> scratches_;
};

}  // namespace

std::unique_ptr<Gram> make_gram(DType dtype, std::span<const std::vector<RowFactor>> layouts) {
  if (dtype == DType::float32) return std::make_unique<Tiles<float>>(layouts);
  return std::make_unique<Tiles<double>>(layouts);
}

}  // namespace pinn::cpu
