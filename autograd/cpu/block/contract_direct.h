#pragma once
#include <array>
#include <type_traits>

#include "autograd/cpu/vectors/kernel_vector.h"
#include "autograd/cpu/vectors/transpose.h"

/// The direct way, for few rows: vectors lie along the columns and each of them is a sum in parts,
/// one part per lane, until it is moved.
namespace pinn::cpu::direct {

/// x and g as rows of the tile, in the roles that suit their numbers.
template <class T> struct Rows {
  const T* data;
  std::size_t stride, count;
  std::size_t step;  // from one row's sums to the next one's
};

/// Beginnings of the rows from `first` on; those beyond the last repeat it.
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

}  // namespace pinn::cpu::direct
