#include "autograd/cpu/block_product.h"

#include <algorithm>
#include <array>
#include <utility>

#include "autograd/cpu/block_vector.h"

namespace pinn::cpu {
namespace {

/// A tile of y that is kept in registers: at most `outputs_max` rows by `vectors_max` vectors. Each
/// vector of x that is loaded serves all outputs, each weight all vectors.
constexpr int vectors_max = vector_bytes == 64 ? 4 : 2;
constexpr int outputs_max = sums_in_registers / vectors_max;

/// Rows of x that one pass sums up: with 4 vectors of 64 bytes, 32 KiB, which stay in L1 for all
/// outputs.
constexpr std::size_t rows_max = 128;

/// One tile: `rows` rows of x from x on, weights from w on.
template <class T> struct Tile {
  const T* x;
  const T* w;
  T* y;
  const T* bias;             // of this tile's outputs
  std::size_t bias_vectors;  // how many vectors, from the left, lie in channel 0
  bool add;
};

template <class T> constexpr T zeros[outputs_max] = {};

template <class T, int outputs, int vectors>
[[gnu::always_inline]] inline void begin(const Tile<T>& t, std::size_t y_stride,
                                         Vec<T> (&sum)[outputs][vectors]) {
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) {
    const T* bias = std::size_t(v) < t.bias_vectors ? t.bias : zeros<T>;
#pragma GCC unroll 16
    for (int o = 0; o < outputs; ++o)
      sum[o][v] = t.add ? Vec<T>::load(t.y + o * y_stride + v * Vec<T>::size) : splat(bias[o]);
  }
}

template <class T, int outputs, int vectors>
void multiply(const Tile<T>& t, std::size_t rows, std::size_t x_stride, std::size_t y_stride) {
  Vec<T> sum[outputs][vectors];
  begin(t, y_stride, sum);
  const T *x = t.x, *w = t.w;
  for (std::size_t i = 0; i < rows; ++i, x += x_stride, w += outputs) {
    Vec<T> xs[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) xs[v] = Vec<T>::load(x + v * Vec<T>::size);
#pragma GCC unroll 16
    for (int o = 0; o < outputs; ++o) {
      const Vec<T> weight = splat(w[o]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sum[o][v] = fma(weight, xs[v], sum[o][v]);
    }
  }
#pragma GCC unroll 16
  for (int o = 0; o < outputs; ++o)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) sum[o][v].store(t.y + o * y_stride + v * Vec<T>::size);
}

template <class T> using Multiply = void (*)(const Tile<T>&, std::size_t, std::size_t, std::size_t);

template <class T, int vectors, int... o>
constexpr std::array<Multiply<T>, sizeof...(o)> row_of(std::integer_sequence<int, o...>) {
  return {multiply<T, o + 1, vectors>...};
}

/// The kernel for any tile: [vectors - 1][outputs - 1].
template <class T> constexpr auto kernels = []<int... v>(std::integer_sequence<int, v...>) {
  return std::array{row_of<T, v + 1>(std::make_integer_sequence<int, outputs_max>{})...};
}
(std::make_integer_sequence<int, vectors_max>{});

/// All outputs of some neighboring columns, from one part of the rows of x.
template <class T>
void multiply_columns(const BlockProduct<T>& p, std::size_t column, std::size_t vectors,
                      std::size_t row, std::size_t rows) {
  const std::size_t blocks = parts_of(p.n, outputs_max);
  const bool first = row == 0, biased = p.bias && column < p.points;
  const std::size_t bias_vectors = biased ? (p.points - column) / Vec<T>::size : 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t from = part_begin(p.n, blocks, b);
    const std::size_t outputs = part_begin(p.n, blocks, b + 1) - from;
    const Tile<T> tile = {p.x + row * p.x_stride + column,
                          p.packed + from * p.k + row * outputs,
                          p.y + from * p.y_stride + column,
                          biased ? p.bias + from : nullptr,
                          bias_vectors,
                          p.add || !first};
    kernels<T>[vectors - 1][outputs - 1](tile, rows, p.x_stride, p.y_stride);
  }
}

}  // namespace

template <class T>
void pack_weights(const double* w, std::size_t row, std::size_t column, std::size_t k,
                  std::size_t n, T* packed) {
  const std::size_t blocks = parts_of(n, outputs_max);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = part_begin(n, blocks, b); j < part_begin(n, blocks, b + 1); ++j)
        *packed++ = T(w[i * row + j * column]);
}

template <class T> void block_product(const BlockProduct<T>& p) {
  const std::size_t vectors = p.columns / Vec<T>::size;
  const std::size_t groups = parts_of(vectors, vectors_max), passes = parts_of(p.k, rows_max);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t from = part_begin(vectors, groups, g);
    const std::size_t count = part_begin(vectors, groups, g + 1) - from;
    for (std::size_t i = 0; i < passes; ++i) {
      const std::size_t row = part_begin(p.k, passes, i);
      multiply_columns(p, from * Vec<T>::size, count, row, part_begin(p.k, passes, i + 1) - row);
    }
  }
}

template void pack_weights<float>(const double*, std::size_t, std::size_t, std::size_t, std::size_t,
                                  float*);
template void pack_weights<double>(const double*, std::size_t, std::size_t, std::size_t,
                                   std::size_t, double*);
template void block_product<float>(const BlockProduct<float>&);
template void block_product<double>(const BlockProduct<double>&);

}  // namespace pinn::cpu
