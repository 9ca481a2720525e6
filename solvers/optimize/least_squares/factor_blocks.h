#pragma once
#include <vector>

#include "autograd/core/least_squares.h"
#include "solvers/optimize/dense/decompositions.h"
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// The factors of a matrix, of equations and of all other terms, in one tensor: A_1, G_1, A_2, G_2.
struct FactorBlock {
  ParameterMatrix matrix;
  std::size_t at = 0;
  std::size_t a_numbers() const { return matrix.rows * matrix.rows; }
  std::size_t g_numbers() const { return matrix.columns * matrix.columns; }
  std::size_t numbers() const { return 2 * (a_numbers() + g_numbers()); }
  std::size_t first(int group) const {
    return at + std::size_t(group) * (a_numbers() + g_numbers());
  }

  /// The factors of a group, out of a tensor of all blocks.
  Kronecker known(const Tensor& factors, int group) const;
  /// Moves these by a share towards what the terms of the group say now. Errors: ConfigError where
  /// the terms know the matrix as one of other sides.
  void learn(Tensor& factors, int group, const std::vector<KroneckerFactors>& terms,
             double share) const;
};

/// One after the other; without matrices all parameters are one row.
std::vector<FactorBlock> factor_blocks_of(const TrainedSize& size);

}  // namespace pinn
