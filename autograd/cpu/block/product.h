#pragma once
#include <cstddef>

namespace pinn::cpu {

/// Products of the compiled step. Inside a block of points a jet is an array [feature][channel]
/// [point]: all channels and points of a feature stand side by side and are the columns of one row;
/// rows are `stride` numbers apart. The number of columns is a multiple of Vec<T>::size. The
/// fewer factors of two a stride has, in cache lines, the better rows spread over the cache.

/// The weights of y = W^T x in the order in which block_product reads them, so that they stream
/// into the cache: passes over some inputs, in a pass blocks of outputs, inside a block input by
/// input. `packed` holds k * n numbers.
///
///   w        W[i][j] is w[i * row + j * column] for i < k, j < n: (n, 1) packs a row-major W, and
///            for its transpose swap the strides, and k with n
template <class T>
void pack_weights(const T* w, std::size_t row, std::size_t column, std::size_t k, std::size_t n,
                  T* packed);

/// y[j][c] = bias[j] (in the first `points` columns, if there is one) + sum_i W[i][j] x[i][c].
template <class T> struct BlockProduct {
  const T* packed;  ///< by pack_weights
  std::size_t k, n, columns;
  const T* x;  ///< [k][columns]
  std::size_t x_stride;
  T* y;  ///< [n][columns]
  std::size_t y_stride;
  const T* bias = nullptr;  ///< [n]
  std::size_t points = 0;   ///< a multiple of Vec<T>::size
};
template <class T> void block_product(const BlockProduct<T>& p);

/// Sums over points: the gradients of weights and biases. Arrays are laid out as in
/// product.h. What several blocks contribute is collected in T, in an order that suits the
/// kernels and is the same wherever the arrays lie; after some blocks it is moved to float64 sums.

/// partial += sum_c x[i][c] g[j][c] for all i and j: the weights' gradient.
template <class T> struct BlockContract {
  std::size_t k, n, columns;
  const T* x;  ///< [k][columns]
  std::size_t x_stride;
  const T* g;  ///< [n][columns]
  std::size_t g_stride;
  T* partial;              ///< contract_partial(k, n) numbers, 0 at first
  T* scratch;              ///< contract_scratch(columns) numbers
  double* sums = nullptr;  ///< if there, all is moved there at once, and leaves partial 0 again
};
template <class T> void block_contract(const BlockContract<T>& p);

/// How many numbers block_contract collects in, and how many it needs for itself.
template <class T> std::size_t contract_partial(std::size_t k, std::size_t n);
template <class T> std::size_t contract_scratch(std::size_t columns);

/// sums[i][j] += what `partial` holds of it, [k][n] row-major; `partial` is 0 then.
template <class T> void move_contract(std::size_t k, std::size_t n, T* partial, double* sums);

/// partial += sum of g[j][c] over the first `points` columns, those of channel 0, for all j: the
/// gradient of a bias. `points` is a multiple of Vec<T>::size; `partial` holds n vectors.
template <class T>
void block_column_sum(std::size_t n, std::size_t points, const T* g, std::size_t g_stride,
                      T* partial);
/// sums[j * step] += what `partial` holds of it; `partial` is 0 then.
template <class T> void move_column_sum(std::size_t n, T* partial, double* sums, std::size_t step);

}  // namespace pinn::cpu
