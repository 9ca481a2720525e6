#include "autograd/cpu/block/contract.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "autograd/cpu/vectors/kernel_vector.h"

namespace pinn::cpu {
namespace {

/// Lane i is a[i] + a[i + half] where the bit `half` of i is 0, and b[i] + b[i - half] where it is
/// 1: half of a's lanes summed with the other half, and b's.
template <int half, class T> Vec<T> merge(Vec<T> a, Vec<T> b) {
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    constexpr int n = Vec<T>::size;
    const Vec<T> own = __builtin_shufflevector(a.v, b.v, ((i & half) == 0 ? i : n + i)...);
    const Vec<T> other =
        __builtin_shufflevector(a.v, b.v, ((i & half) == 0 ? i + half : n + i - half)...);
    return own + other;
  }
  (std::make_integer_sequence<int, Vec<T>::size>{});
}

/// From `width` vectors v one whose lane j of each group of `width` lanes is the sum of that group
/// of v[j].
template <int width, class T> [[gnu::always_inline]] inline Vec<T> sum_groups(const Vec<T>* v) {
  if constexpr (width == 1) {
    return v[0];
  } else {
    constexpr int half = width / 2;
    Vec<T> merged[half];
#pragma GCC unroll 16
    for (int i = 0; i < half; ++i) merged[i] = merge<half>(v[i], v[i + half]);
    return sum_groups<half>(merged);
  }
}

// The direct way, for few rows: vectors lie along the columns and each of them is a sum in parts,
// one part per lane, until it is moved.

/// x and g as rows of the tile, in the roles that suit their numbers.
template <class T> struct Rows {
  const T* data;
  std::size_t stride, count;
  std::size_t step;  // from one row's sums to the next one's
};

/// Where the rows from `first` on begin; those beyond the last repeat it.
template <int n, class T> std::array<const T*, n> starts(const Rows<T>& rows, std::size_t first) {
  std::array<const T*, n> at;
  at[0] = rows.data + first * rows.stride;
#pragma GCC unroll 16
  for (int i = 1; i < n; ++i) at[i] = at[i - 1] + (first + i < rows.count ? rows.stride : 0);
  return at;
}

/// Adds to the partial sums of a tile; where those of the next one follow, they come near
/// meanwhile.
template <int rows, int others, class T>
void tile(const Rows<T>& a, std::size_t i, const Rows<T>& b, std::size_t j, std::size_t columns,
          T* partial) {
  constexpr int lanes = Vec<T>::size;
  const auto as = starts<rows>(a, i);
  const auto bs = starts<others>(b, j);
  Vec<T> sum[rows * others];
#pragma GCC unroll 32
  for (int s = 0; s < rows * others; ++s) sum[s] = Vec<T>::load(partial + s * lanes);
  std::size_t c = 0;
  do {  // once at least: were there another way, compilers would keep all sums in memory for it
    if (vector_bytes == 64) __builtin_prefetch(partial + rows * others * lanes + c);
    Vec<T> bv[others];
#pragma GCC unroll 16
    for (int s = 0; s < others; ++s) bv[s] = Vec<T>::load(bs[s] + c);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const Vec<T> av = Vec<T>::load(as[r] + c);
#pragma GCC unroll 16
      for (int s = 0; s < others; ++s) sum[r * others + s] = fma(av, bv[s], sum[r * others + s]);
    }
    c += lanes;
  } while (c < columns);
#pragma GCC unroll 32
  for (int s = 0; s < rows * others; ++s) sum[s].store(partial + s * lanes);
}

/// Moves the partial sums of a tile.
template <int rows, int others, class T>
void move_tile(const Rows<T>& a, std::size_t i, const Rows<T>& b, std::size_t j, T* partial,
               double* sums) {
  constexpr int lanes = Vec<T>::size, vectors = (rows * others + lanes - 1) / lanes;
  Vec<T> sum[vectors * lanes];
#pragma GCC unroll 32
  for (int s = 0; s < rows * others; ++s) {
    sum[s] = Vec<T>::load(partial + s * lanes);
    Vec<T>().store(partial + s * lanes);
  }
  T result[vectors * lanes];
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) sum_groups<lanes>(sum + v * lanes).store(result + v * lanes);
  sums += i * a.step + j * b.step;
  if (b.step == 1 && i + rows <= a.count && j + others <= b.count) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 16
      for (int s = 0; s < others; ++s) sums[r * a.step + s] += double(result[r * others + s]);
    return;
  }
  for (int r = 0; r < rows && i + r < a.count; ++r)
    for (int s = 0; s < others && j + s < b.count; ++s)
      sums[r * a.step + s * b.step] += double(result[r * others + s]);
}

/// f(rows, others) with the edges of the tiles that suit a and b, integral constants; b has not
/// more rows than a. 25 sums fit in 32 registers, 8 in 16.
template <class F> auto with_tile(std::size_t a, std::size_t b, F&& f) {
  const auto filled = [&](std::size_t n) { return parts_of(a, n) * parts_of(b, n) * n * n; };
  constexpr auto edge = []<int n>() { return std::integral_constant<int, n>(); };
  constexpr bool many = vector_bytes == 64;
  if (b == 1) return f(edge.template operator()<(many ? 10 : 8)>(), edge.template operator()<1>());
  if (b < 4) return f(edge.template operator()<(many ? 10 : 4)>(), edge.template operator()<2>());
  if (many && filled(5) <= filled(4))
    return f(edge.template operator()<5>(), edge.template operator()<5>());
  return f(edge.template operator()<(many ? 4 : 2)>(), edge.template operator()<4>());
}

/// f(rows, others, a, i, b, j, partial) for all tiles, back and forth: of two that follow each
/// other one side is the same, and what was read last is the nearest.
template <class T, class F> void each_tile(const Rows<T>& x, const Rows<T>& g, T* partial, F&& f) {
  const bool swapped = x.count < g.count;
  const Rows<T>&a = swapped ? g : x, &b = swapped ? x : g;
  with_tile(a.count, b.count, [&](auto rows, auto others) {
    const std::size_t last = (a.count - 1) / rows * rows;
    bool back = false;
    for (std::size_t j = 0; j < b.count; j += others, back = !back)
      for (std::size_t i = 0; i <= last; i += rows, partial += rows * others * Vec<T>::size)
        f(rows, others, a, back ? last - i : i, b, j, partial);
  });
}

/// With `sums`, every tile is moved there at once, and all collect in one place.
template <class T>
void contract_directly(const Rows<T>& x, const Rows<T>& g, std::size_t columns, T* partial,
                       double* sums) {
  each_tile(x, g, partial, [&](auto rows, auto others, auto& a, auto i, auto& b, auto j, T* to) {
    tile<rows, others>(a, i, b, j, columns, sums ? partial : to);
    if (sums) move_tile<rows, others>(a, i, b, j, partial, sums);
  });
}

template <class T>
void move_directly(const Rows<T>& x, const Rows<T>& g, T* partial, double* sums) {
  each_tile(x, g, partial, [&](auto rows, auto others, auto& a, auto i, auto& b, auto j, T* from) {
    move_tile<rows, others>(a, i, b, j, from, sums);
  });
}

// The interleaved way, for many rows: g is copied once so that a vector holds groups of 16 bytes
// of neighboring columns, one group per row of g. Against it stands one such group of x in every
// group of lanes, which a load can broadcast. So a vector of sums belongs to several rows of g, and
// horizontal sums are needed over the few lanes of a group, for many more columns at once.

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

/// How many rows of g go the interleaved way. The copy costs as much as 4 rows of x.
std::size_t interleaved_rows(std::size_t k, std::size_t n) {
  return k < 32 ? 0 : n / panel_rows * panel_rows;
}

}  // namespace

template <class T> std::size_t contract_scratch(std::size_t columns) {
  return std::min(columns, panel_columns<T>) * panel_rows;
}

template <class T> std::size_t contract_partial(std::size_t k, std::size_t n) {
  const std::size_t interleaved = interleaved_rows(k, n), rest = n - interleaved;
  if (rest == 0) return k * n;
  const std::size_t a = std::max(k, rest), b = std::min(k, rest);
  return k * interleaved + with_tile(a, b, [&](auto rows, auto others) {
           return parts_of(a, rows) * parts_of(b, others) * rows * others * Vec<T>::size;
         });
}

template <class T> void block_contract(const BlockContract<T>& p) {
  const std::size_t interleaved = interleaved_rows(p.k, p.n);
  contract_interleaved(p, interleaved);
  if (p.sums) move_interleaved(p.k, p.n, interleaved, p.partial, p.sums);
  const Rows<T> x = {p.x, p.x_stride, p.k, p.n};
  const Rows<T> g = {p.g + interleaved * p.g_stride, p.g_stride, p.n - interleaved, 1};
  contract_directly(x, g, p.columns, p.partial + p.k * interleaved,
                    p.sums ? p.sums + interleaved : nullptr);
}

template <class T> void move_contract(std::size_t k, std::size_t n, T* partial, double* sums) {
  const std::size_t interleaved = interleaved_rows(k, n);
  move_interleaved(k, n, interleaved, partial, sums);
  move_directly(Rows<T>{nullptr, 0, k, n}, Rows<T>{nullptr, 0, n - interleaved, 1},
                partial + k * interleaved, sums + interleaved);
}

/// Adds `rows` rows to their partial sums, side by side: one sum alone would wait for each
/// addition.
template <int rows, class T>
void add_columns(std::size_t points, const T* g, std::size_t g_stride, T* partial) {
  constexpr std::size_t size = Vec<T>::size;
  Vec<T> sum[rows];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) sum[r] = Vec<T>::load(partial + r * size);
  for (std::size_t c = 0; c < points; c += size)
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) sum[r] = sum[r] + Vec<T>::load(g + r * g_stride + c);
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) sum[r].store(partial + r * size);
}

template <class T>
void block_column_sum(std::size_t n, std::size_t points, const T* g, std::size_t g_stride,
                      T* partial) {
  constexpr std::size_t side = 4;
  std::size_t j = 0;
  for (; j + side <= n; j += side)
    add_columns<side>(points, g + j * g_stride, g_stride, partial + j * Vec<T>::size);
  for (; j < n; ++j) add_columns<1>(points, g + j * g_stride, g_stride, partial + j * Vec<T>::size);
}

template <class T> void move_column_sum(std::size_t n, T* partial, double* sums, std::size_t step) {
  constexpr std::size_t lanes = Vec<T>::size;
  for (std::size_t j = 0; j < n; j += lanes) {
    const std::size_t rows = std::min(lanes, n - j);
    Vec<T> sum[lanes];
    for (std::size_t r = 0; r < rows; ++r) sum[r] = Vec<T>::load(partial + (j + r) * lanes);
    const Vec<T> result = sum_groups<int(lanes)>(sum);
    for (std::size_t r = 0; r < rows; ++r) sums[(j + r) * step] += double(result[int(r)]);
  }
  std::fill_n(partial, n * lanes, T(0));
}

template std::size_t contract_scratch<float>(std::size_t);
template std::size_t contract_scratch<double>(std::size_t);
template std::size_t contract_partial<float>(std::size_t, std::size_t);
template std::size_t contract_partial<double>(std::size_t, std::size_t);
template void block_contract<float>(const BlockContract<float>&);
template void block_contract<double>(const BlockContract<double>&);
template void move_contract<float>(std::size_t, std::size_t, float*, double*);
template void move_contract<double>(std::size_t, std::size_t, double*, double*);
template void block_column_sum<float>(std::size_t, std::size_t, const float*, std::size_t, float*);
template void block_column_sum<double>(std::size_t, std::size_t, const double*, std::size_t,
                                       double*);
template void move_column_sum<float>(std::size_t, float*, double*, std::size_t);
template void move_column_sum<double>(std::size_t, double*, double*, std::size_t);

}  // namespace pinn::cpu
