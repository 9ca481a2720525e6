#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "autograd/cpu/block/product.h"
#include "autograd/cpu/vectors/kernel_vector.h"
#include "autograd/cpu/vectors/transpose.h"

/// The interleaved way, for many rows: g is copied once so that a vector holds groups of 16 bytes
/// of neighboring columns, one group per row of g. Against it stands one such group of x in every
/// group of lanes, which a load can broadcast. So a vector of sums belongs to several rows of g,
/// and horizontal sums are needed over the few lanes of a group, for many more columns at once.
namespace pinn::cpu::interleaved {

/// Lanes of a group, and groups of a vector.
template <class T> constexpr int width = 16 / int(sizeof(T));
constexpr int groups = vector_bytes / 16;
/// Vectors of g that one step reads, and so the rows of g in a panel; the rows of x in a tile.
constexpr int panel_vectors = 4;
constexpr int panel_rows = panel_vectors * groups;
constexpr int x_rows_max = (vector_bytes == 64 ? 24 : 12) / panel_vectors;
/// A panel takes three quarters of L1 at most.
template <class T>
constexpr std::size_t panel_columns = 36864 / (panel_vectors * vector_bytes) * width<T>;

/// A vector of half a vector from each of two places.
template <class T> Vec<T> halves(const T* low, const T* high) {
  constexpr int n = Vec<T>::size;
  typedef T Half __attribute__((vector_size(vector_bytes / 2)));
  Half a, b;
  std::memcpy(&a, low, sizeof a);
  std::memcpy(&b, high, sizeof b);
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return Vec<T>(__builtin_shufflevector(a, b, i...));
  }
  (std::make_integer_sequence<int, n>{});
}

/// Groups `odd`, `odd` + 2, ... of a, then those of b.
template <int odd, class T> Vec<T> every_second_group(Vec<T> a, Vec<T> b) {
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return Vec<T>(
        __builtin_shufflevector(a.v, b.v, (i % width<T> + (2 * (i / width<T>)+odd) * width<T>)...));
  }
  (std::make_integer_sequence<int, Vec<T>::size>{});
}

/// Writes the first groups of `groups` rows to a vector, the second ones to a vector `step` further
/// on, and so on.
template <class T>
[[gnu::always_inline]] inline void transpose_groups(const T* row, std::size_t stride, T* to,
                                                    std::size_t step) {
  if constexpr (groups == 1) Vec<T>::load(row).store(to);
  if constexpr (groups == 2)
    for (int i = 0; i < 2; ++i)
      halves(row + i * width<T>, row + i * width<T> + stride).store(to + i * step);
  if constexpr (groups == 4)
    for (int i = 0; i < 2; ++i) {
      const T* at = row + i * 2 * width<T>;
      const Vec<T> a = halves(at, at + stride), b = halves(at + 2 * stride, at + 3 * stride);
      every_second_group<0>(a, b).store(to + 2 * i * step);
      every_second_group<1>(a, b).store(to + (2 * i + 1) * step);
    }
}

/// A panel's part that belongs to `lanes` columns, from its rows of g on. Row p * lanes + group *
/// width + j of g goes to vector p * width + j, so that sum_groups leaves the sums in the order of
/// the rows.
template <class T>
[[gnu::always_inline]] inline void interleave(const T* g, std::size_t g_stride, T* panel) {
  constexpr int lanes = Vec<T>::size, step = panel_vectors * lanes;
#pragma GCC unroll 16
  for (int v = 0; v < panel_vectors; ++v)
    transpose_groups(g + (v / width<T> * lanes + v % width<T>)*g_stride, width<T> * g_stride,
                     panel + v * lanes, step);
}

/// Some rows of x by the rows of g in a panel: what is added to sums [][n].
template <class T> struct Tile {
  const T* x;
  std::size_t x_stride, columns;
  const T* g;
  std::size_t g_stride;
  T* panel;
  T* sums;
  std::size_t n;
};

/// `first`: the panel is still to be copied from g. That waits for memory, so it is done a step
/// ahead of the products.
template <class T, int rows, bool first> void multiply(const Tile<T>& tile) {
  const Tile<T> t = tile;  // which no store below can be thought to change
  constexpr std::size_t size = Vec<T>::size, step = panel_vectors * size;
  Vec<T> sum[rows][panel_vectors];
  const T* xs[rows];
  T* panel = t.panel;
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) xs[r] = t.x + r * t.x_stride;
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < panel_rows; v += int(size)) __builtin_prefetch(t.sums + r * t.n + v, 1);
  if constexpr (first) interleave(t.g, t.g_stride, panel);
  std::size_t c = 0;
  do {
    if (first && c + size < t.columns)
      interleave(t.g + c + size, t.g_stride, panel + groups * step);
#pragma GCC unroll 4
    for (int i = 0; i < groups; ++i, panel += step) {
      Vec<T> g[panel_vectors];
#pragma GCC unroll 16
      for (int v = 0; v < panel_vectors; ++v) g[v] = Vec<T>::load(panel + v * size);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        const Vec<T> x = repeat16(xs[r] + c + i * width<T>);
#pragma GCC unroll 16
        for (int v = 0; v < panel_vectors; ++v) sum[r][v] = fma(x, g[v], sum[r][v]);
      }
    }
    c += size;
  } while (c < t.columns);
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < panel_vectors; v += width<T>) {
      T* to = t.sums + r * t.n + v * groups;
      (Vec<T>::load(to) + sum_groups<width<T>>(sum[r] + v)).store(to);
    }
}

template <class T, bool first>
constexpr auto kernels = []<int... r>(std::integer_sequence<int, r...>) {
  return std::array{multiply<T, r + 1, first>...};
}
(std::make_integer_sequence<int, x_rows_max>{});

/// The first `rows` rows of g, a multiple of panel_rows; partial is [k][rows].
template <class T> void contract_interleaved(const BlockContract<T>& p, std::size_t rows) {
  const std::size_t cuts = parts_of(p.columns, panel_columns<T>), tiles = parts_of(p.k, x_rows_max);
  const std::size_t vectors = p.columns / Vec<T>::size;
  const std::size_t most = parts_of(p.k, tiles), longer = p.k - tiles * (most - 1);
  for (std::size_t j = 0; j < rows; j += panel_rows)
    for (std::size_t cut = 0; cut < cuts; ++cut) {
      const std::size_t from = part_begin(vectors, cuts, cut) * Vec<T>::size;
      const std::size_t columns = part_begin(vectors, cuts, cut + 1) * Vec<T>::size - from;
      Tile<T> t = {p.x + from, p.x_stride, columns,       p.g + j * p.g_stride + from,
                   p.g_stride, p.scratch,  p.partial + j, rows};
      for (std::size_t b = 0; b < tiles; ++b) {
        const std::size_t height = b < longer ? most : most - 1;
        (b == 0 ? kernels<T, true> : kernels<T, false>)[height - 1](t);
        t.x += height * p.x_stride;
        t.sums += height * rows;
      }
    }
}

/// Moves the sums by the first `rows` rows of g.
template <class T>
void move_interleaved(std::size_t k, std::size_t n, std::size_t rows, T* partial, double* sums) {
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < rows; ++j) sums[i * n + j] += double(partial[i * rows + j]);
  std::fill_n(partial, k * rows, T(0));
}

}  // namespace pinn::cpu::interleaved
