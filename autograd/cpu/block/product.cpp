#include "autograd/cpu/block/product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "autograd/cpu/vectors/kernel_vector.h"

namespace pinn::cpu {
namespace {

/// A tile of y that is kept in registers: at most `outputs_max` rows by `vectors_max` vectors. Each
/// vector of x that is loaded serves all outputs, each weight all vectors. Where another thread
/// shares the core, a tile is as fast as it has few instructions beside its products: here 10 loads
/// for 25 of them.
constexpr int vectors_max = vector_bytes == 64 ? 5 : 2;
constexpr int outputs_max = vector_bytes == 64 ? 5 : 6;

/// Rows of x that one pass sums up: what stays in L1 for all outputs, beside their weights and a
/// neighbor's data.
constexpr std::size_t rows_max = vector_bytes == 64 ? 96 : 128;

/// n outputs in as few blocks as can be: the first `longer` blocks of `most`, the others of one
/// less.
struct Blocks {
  explicit Blocks(std::size_t n)
      : count(parts_of(n, outputs_max)), most(parts_of(n, count)), longer(n - count * (most - 1)) {}
  std::size_t count, most, longer;
};

/// Tiles below each other, of equally many outputs: `rows` rows of x from x on, weights from w on.
template <class T> struct Tiles {
  std::size_t count, rows;
  const T* x;
  std::size_t x_stride;
  const T* w;
  std::size_t w_step;  ///< from one tile to the next
  T* y;
  std::size_t y_stride;
  const T* bias;             ///< of these outputs
  std::size_t bias_vectors;  ///< how many vectors, from the left, it is added to
  bool add;
};

/// A pointer of which the compiler knows nothing, so that it steps from row to row instead of
/// keeping the addresses of all rows.
template <class T> T* stepped(T* p) {
  asm("" : "+r"(p));
  return p;
}

template <class T, int outputs, int vectors> void multiply(const Tiles<T>& all) {
  constexpr int size = Vec<T>::size;
  const Tiles<T> t = all;  // which no store below can be thought to change
  T* y = t.y;
  const T *weights = t.w, *bias = t.bias;
  for (std::size_t b = 0; b < t.count; ++b, weights += t.w_step) {
    Vec<T> sum[outputs][vectors];
    if (t.add) {
      T* from = y;
#pragma GCC unroll 16
      for (int o = 0; o < outputs; ++o, from = stepped(from + t.y_stride))
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) sum[o][v] = Vec<T>::load(from + v * size);
    } else if (t.bias_vectors > 0) {
#pragma GCC unroll 16
      for (int o = 0; o < outputs; ++o) {
        const Vec<T> all_of_row = splat(bias[o]);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
          sum[o][v] = std::size_t(v) < t.bias_vectors ? all_of_row : Vec<T>();
      }
      bias += outputs;
    }
    const T *x = t.x, *w = weights;
#pragma GCC unroll 2
    for (std::size_t i = 0; i < t.rows; ++i, x += t.x_stride, w += outputs) {
      Vec<T> xs[vectors];
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) xs[v] = Vec<T>::load(x + v * size);
#pragma GCC unroll 16
      for (int o = 0; o < outputs; ++o) {
        const Vec<T> weight = splat(w[o]);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) sum[o][v] = fma(weight, xs[v], sum[o][v]);
      }
    }
#pragma GCC unroll 16
    for (int o = 0; o < outputs; ++o, y = stepped(y + t.y_stride))
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sum[o][v].store(y + v * size);
  }
}

template <class T> using Multiply = void (*)(const Tiles<T>&);

template <class T, int vectors, int... o>
constexpr std::array<Multiply<T>, sizeof...(o)> row_of(std::integer_sequence<int, o...>) {
  return {multiply<T, o + 1, vectors>...};
}

/// The kernel for any tile: [vectors - 1][outputs - 1].
template <class T> constexpr auto kernels = []<int... v>(std::integer_sequence<int, v...>) {
  return std::array{row_of<T, v + 1>(std::make_integer_sequence<int, outputs_max>{})...};
}
(std::make_integer_sequence<int, vectors_max>{});

/// The weights of one block of outputs.
template <class T, int outputs>
void pack(const T* w, std::size_t row, std::size_t column, std::size_t k, T* packed) {
  for (std::size_t i = 0; i < k; ++i, w += row, packed += outputs)
    if (column == 1)
      std::memcpy(packed, w, outputs * sizeof(T));
    else
#pragma GCC unroll 16
      for (int j = 0; j < outputs; ++j) packed[j] = w[std::size_t(j) * column];
}

template <class T> using Pack = void (*)(const T*, std::size_t, std::size_t, std::size_t, T*);
template <class T> constexpr auto packers = []<int... o>(std::integer_sequence<int, o...>) {
  return std::array<Pack<T>, sizeof...(o)>{pack<T, o + 1>...};
}
(std::make_integer_sequence<int, outputs_max>{});

}  // namespace

template <class T>
void pack_weights(const T* w, std::size_t row, std::size_t column, std::size_t k, std::size_t n,
                  T* packed) {
  const Blocks blocks(n);
  const std::size_t passes = parts_of(k, rows_max);
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const std::size_t first = part_begin(k, passes, pass);
    const std::size_t rows = part_begin(k, passes, pass + 1) - first;
    const T* from = w + first * row;
    for (std::size_t b = 0; b < blocks.count; ++b) {
      const std::size_t outputs = b < blocks.longer ? blocks.most : blocks.most - 1;
      packers<T>[outputs - 1](from, row, column, rows, packed);
      from += outputs * column;
      packed += outputs * rows;
    }
  }
}

template <class T> void block_product(const BlockProduct<T>& p) {
  constexpr std::size_t size = Vec<T>::size;
  const std::size_t vectors = p.columns / size, groups = parts_of(vectors, vectors_max);
  const std::size_t passes = parts_of(p.k, rows_max), bias_vectors = p.points / size;
  const Blocks outputs(p.n);
  for (std::size_t g = 0, from = 0; g < groups; ++g) {
    const std::size_t count = (vectors - from) / (groups - g);  // the shorter groups come first
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const std::size_t row = part_begin(p.k, passes, pass);
      const std::size_t rows = part_begin(p.k, passes, pass + 1) - row;
      Tiles<T> t = {outputs.longer,
                    rows,
                    p.x + row * p.x_stride + from * size,
                    p.x_stride,
                    p.packed + row * p.n,
                    rows * outputs.most,
                    p.y + from * size,
                    p.y_stride,
                    p.bias,
                    row == 0 && p.bias && from < bias_vectors ? bias_vectors - from : 0,
                    row > 0};
      kernels<T>[count - 1][outputs.most - 1](t);
      if (outputs.longer < outputs.count) {
        const std::size_t done = outputs.longer * outputs.most;
        t.count = outputs.count - outputs.longer;
        t.w += outputs.longer * t.w_step;
        t.w_step = rows * (outputs.most - 1);
        t.y += done * p.y_stride;
        if (p.bias) t.bias += done;
        kernels<T>[count - 1][outputs.most - 2](t);
      }
    }
    from += count;
  }
}

template void pack_weights<float>(const float*, std::size_t, std::size_t, std::size_t, std::size_t,
                                  float*);
template void pack_weights<double>(const double*, std::size_t, std::size_t, std::size_t,
                                   std::size_t, double*);
template void block_product<float>(const BlockProduct<float>&);
template void block_product<double>(const BlockProduct<double>&);

}  // namespace pinn::cpu
