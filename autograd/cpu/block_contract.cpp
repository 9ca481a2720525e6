#include "autograd/cpu/block_contract.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "autograd/cpu/block_vector.h"

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

/// to[i] += v[i], or to[i] = v[i], in float64.
template <bool add, class T> [[gnu::always_inline]] inline void widen(Vec<T> v, double* to) {
  if constexpr (sizeof(T) == sizeof(double)) {
    (add ? Vec<double>::load(to) + v : v).store(to);
  } else {
    constexpr int half = Vec<double>::size;
    using Native = Vec<double>::Native;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      const Vec<double> low =
          __builtin_convertvector(__builtin_shufflevector(v.v, v.v, i...), Native);
      const Vec<double> high =
          __builtin_convertvector(__builtin_shufflevector(v.v, v.v, (half + i)...), Native);
      widen<add>(low, to);
      widen<add>(high, to + half);
    }
    (std::make_integer_sequence<int, half>{});
  }
}

// The direct way, for few rows: vectors lie along the columns, and every tile ends in horizontal
// sums, `lanes` of them at once.

/// A tile of this many sums, rows of one argument by rows of the other.
constexpr int tile_sums = vector_bytes == 64 ? 16 : 8;

/// x and g as rows of the tile, in the roles that suit their numbers.
template <class T> struct Rows {
  const T* data;
  std::size_t stride, count;
  std::size_t step;  // from one row's sums to the next one's
};

/// Where the rows from `first` on begin; those beyond the last repeat it.
template <int n, class T> std::array<const T*, n> starts(const Rows<T>& rows, std::size_t first) {
  std::array<const T*, n> at;
  for (int i = 0; i < n; ++i) at[i] = rows.data + std::min(first + i, rows.count - 1) * rows.stride;
  return at;
}

template <int rows, int others, class T>
void tile(const Rows<T>& a, std::size_t i, const Rows<T>& b, std::size_t j, std::size_t columns,
          double* sums) {
  constexpr int lanes = Vec<T>::size, vectors = (rows * others + lanes - 1) / lanes;
  const auto as = starts<rows>(a, i), bs = starts<others>(b, j);
  Vec<T> sum[vectors * lanes];
  for (std::size_t c = 0; c < columns; c += lanes) {
    Vec<T> bv[others];
#pragma GCC unroll 16
    for (int s = 0; s < others; ++s) bv[s] = Vec<T>::load(bs[s] + c);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const Vec<T> av = Vec<T>::load(as[r] + c);
#pragma GCC unroll 16
      for (int s = 0; s < others; ++s) sum[r * others + s] = fma(av, bv[s], sum[r * others + s]);
    }
  }
  double result[vectors * lanes];
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v)
    widen<false>(sum_groups<lanes>(sum + v * lanes), result + v * lanes);
  sums += i * a.step + j * b.step;
  if (b.step == 1 && j + others <= b.count && i + rows <= a.count) {
    for (int r = 0; r < rows; ++r, sums += a.step)
      for (int s = 0; s < others; ++s) sums[s] += result[r * others + s];
  } else {
    for (int r = 0; r < rows && i + r < a.count; ++r, sums += a.step)
      for (int s = 0; s < others && j + s < b.count; ++s)
        sums[s * b.step] += result[r * others + s];
  }
}

template <int rows, int others, class T>
void all_tiles(const Rows<T>& a, const Rows<T>& b, std::size_t columns, double* sums) {
  for (std::size_t j = 0; j < b.count; j += others)
    for (std::size_t i = 0; i < a.count; i += rows) tile<rows, others>(a, i, b, j, columns, sums);
}

/// The sums of all tiles of edge n by n, wanted or not.
template <int n, class T> std::size_t filled(const Rows<T>& a, const Rows<T>& b) {
  return parts_of(a.count, n) * parts_of(b.count, n) * n * n;
}

/// b has not more rows than a. 25 sums fit in 32 registers and share the horizontal sums' cost.
template <class T>
void contract_directly(const Rows<T>& a, const Rows<T>& b, std::size_t columns, double* sums) {
  if (b.count == 1)
    all_tiles<tile_sums, 1>(a, b, columns, sums);
  else if (b.count < 4)
    all_tiles<tile_sums / 2, 2>(a, b, columns, sums);
  else if (vector_bytes == 64 && filled<5>(a, b) <= filled<4>(a, b))
    all_tiles<5, 5>(a, b, columns, sums);
  else
    all_tiles<tile_sums / 4, 4>(a, b, columns, sums);
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
constexpr int x_rows_max = sums_in_registers / panel_vectors;
/// A panel takes two thirds of L1 at most.
template <class T>
constexpr std::size_t panel_columns = 32768 / (panel_vectors * vector_bytes) * width<T>;

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

/// Row p * lanes + group * width + j of g goes to vector p * width + j, so that sum_groups leaves
/// the sums in the order of the rows.
template <class T>
void interleave(const T* g, std::size_t g_stride, std::size_t columns, T* panel) {
  constexpr int lanes = Vec<T>::size, step = panel_vectors * lanes;
  for (std::size_t c = 0; c < columns; c += lanes, panel += groups * step)
#pragma GCC unroll 16
    for (int v = 0; v < panel_vectors; ++v)
      transpose_groups(g + (v / width<T> * lanes + v % width<T>)*g_stride + c, width<T> * g_stride,
                       panel + v * lanes, step);
}

template <class T, int rows>
void multiply(const T* x, std::size_t x_stride, std::size_t columns, const T* panel, double* sums,
              std::size_t n) {
  Vec<T> sum[rows][panel_vectors];
  for (std::size_t c = 0; c < columns; c += width<T>, panel += panel_vectors * Vec<T>::size) {
    Vec<T> g[panel_vectors];
#pragma GCC unroll 16
    for (int v = 0; v < panel_vectors; ++v) g[v] = Vec<T>::load(panel + v * Vec<T>::size);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const Vec<T> xs = repeat16(x + r * x_stride + c);
#pragma GCC unroll 16
      for (int v = 0; v < panel_vectors; ++v) sum[r][v] = fma(xs, g[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < panel_vectors; v += width<T>)
      widen<true>(sum_groups<width<T>>(sum[r] + v), sums + r * n + v * groups);
}

template <class T> constexpr auto kernels = []<int... r>(std::integer_sequence<int, r...>) {
  return std::array{multiply<T, r + 1>...};
}
(std::make_integer_sequence<int, x_rows_max>{});

/// The first `rows` rows of g, a multiple of panel_rows.
template <class T> void contract_interleaved(const BlockContract<T>& p, std::size_t rows) {
  const std::size_t cuts = parts_of(p.columns, panel_columns<T>), tiles = parts_of(p.k, x_rows_max);
  const std::size_t vectors = p.columns / Vec<T>::size;
  for (std::size_t j = 0; j < rows; j += panel_rows)
    for (std::size_t cut = 0; cut < cuts; ++cut) {
      const std::size_t from = part_begin(vectors, cuts, cut) * Vec<T>::size;
      const std::size_t columns = part_begin(vectors, cuts, cut + 1) * Vec<T>::size - from;
      interleave(p.g + j * p.g_stride + from, p.g_stride, columns, p.scratch);
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t i = part_begin(p.k, tiles, t);
        const std::size_t count = part_begin(p.k, tiles, t + 1) - i;
        kernels<T>[count - 1](p.x + i * p.x_stride + from, p.x_stride, columns, p.scratch,
                              p.sums + i * p.n + j, p.n);
      }
    }
}

}  // namespace

template <class T> std::size_t contract_scratch(std::size_t columns) {
  return std::min(columns, panel_columns<T>) * panel_rows;
}

template <class T> void block_contract(const BlockContract<T>& p) {
  // The copy costs as much as 4 rows of x.
  const std::size_t interleaved = p.k < 32 ? 0 : p.n / panel_rows * panel_rows;
  if (interleaved > 0) contract_interleaved(p, interleaved);
  if (interleaved == p.n) return;
  const Rows<T> x = {p.x, p.x_stride, p.k, p.n};
  const Rows<T> g = {p.g + interleaved * p.g_stride, p.g_stride, p.n - interleaved, 1};
  if (x.count < g.count)
    contract_directly(g, x, p.columns, p.sums + interleaved);
  else
    contract_directly(x, g, p.columns, p.sums + interleaved);
}

template <class T>
void block_column_sum(std::size_t n, std::size_t points, const T* g, std::size_t g_stride,
                      double* sums) {
  constexpr int lanes = Vec<T>::size;
  for (std::size_t j = 0; j < n; j += lanes) {
    const auto rows = starts<lanes>(Rows<T>{g, g_stride, n, 1}, j);
    Vec<T> sum[lanes];
    for (std::size_t c = 0; c < points; c += lanes)
      for (int r = 0; r < lanes; ++r) sum[r] = sum[r] + Vec<T>::load(rows[r] + c);
    const Vec<T> result = sum_groups<lanes>(sum);
    for (int r = 0; r < lanes && j + r < n; ++r) sums[j + r] += double(result[r]);
  }
}

template std::size_t contract_scratch<float>(std::size_t);
template std::size_t contract_scratch<double>(std::size_t);
template void block_contract<float>(const BlockContract<float>&);
template void block_contract<double>(const BlockContract<double>&);
template void block_column_sum<float>(std::size_t, std::size_t, const float*, std::size_t, double*);
template void block_column_sum<double>(std::size_t, std::size_t, const double*, std::size_t,
                                       double*);

}  // namespace pinn::cpu
