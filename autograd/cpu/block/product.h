#pragma once
#include <cstddef>

/// Products of the compiled step. Inside a block of points a jet is an array [feature][channel]
/// [point]: all channels and points of a feature stand side by side and are the columns of one row;
/// rows are `stride` numbers apart. The number of columns is a multiple of Vec<T>::size. The
/// fewer factors of two a stride has, in cache lines, the better rows spread over the cache.
namespace pinn::cpu {

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

}  // namespace pinn::cpu
