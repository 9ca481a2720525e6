#pragma once
#include <memory>
#include <vector>

#include "autograd/cpu/block/row_factors.h"

namespace pinn {

/// The Gram matrix K = J J^T of rows that come as factors, without the rows:
///
///   K_ij = sum over parameter blocks of sum_{c,c'} (x_i^c . x_j^c') (g_i^c . g_j^c')
///
/// Rows come in tiles of up to tile_rows(); products are made in the number type that it is made
/// for, that of the step. The factors are those of Dangel, Kunstner and Hennig (BackPACK, ICLR
/// 2020).
class Gram {
 public:
  /// `layouts`: the factors of one row of each kind that will come; their numbers are not read.
  static std::unique_ptr<Gram> make(DType dtype, std::span<const std::vector<RowFactor>> layouts);
  virtual ~Gram() = default;

  virtual std::size_t tile_rows() const = 0;
  /// How many tiles will come, in the memory of those there are.
  virtual void resize(std::size_t tiles) = 0;
  /// Takes rows first ... last - 1 of these factors as a tile.
  virtual void put(std::size_t tile, std::span<const RowFactor> factors, std::size_t first,
                   std::size_t last) = 0;
  /// The products of the rows of two tiles to k [rows of a][rows of b], and the same transposed to
  /// `transposed`; rows of either are `stride` apart.
  virtual void multiply(std::size_t a, std::size_t b, double* k, double* transposed,
                        std::size_t stride) = 0;
  /// Operations in products that this takes for the rows there are; half of a tile with itself.
  virtual double flops(std::size_t a, std::size_t b) const = 0;
};

}  // namespace pinn
