#pragma once
#include <cstddef>

/// Sums over the points of a block: the gradients of weights and biases. Arrays are laid out as in
/// block_product.h. A block's sum is taken in T, in a fixed order, and added to float64 sums.
namespace pinn::cpu {

/// sums[i][j] += sum_c x[i][c] g[j][c], the weights' gradient.
template <class T> struct BlockContract {
  std::size_t k, n, columns;
  const T* x;  ///< [k][columns]
  std::size_t x_stride;
  const T* g;  ///< [n][columns]
  std::size_t g_stride;
  double* sums;  ///< [k][n], row-major
  T* scratch;    ///< contract_scratch(columns) numbers
};
template <class T> void block_contract(const BlockContract<T>& p);

/// How many numbers block_contract needs for itself.
template <class T> std::size_t contract_scratch(std::size_t columns);

/// sums[j] += sum of g[j][c] over the first `points` columns, those of channel 0: the gradient of a
/// bias. `points` is a multiple of Vec<T>::size.
template <class T>
void block_column_sum(std::size_t n, std::size_t points, const T* g, std::size_t g_stride,
                      double* sums);

}  // namespace pinn::cpu
