#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "autograd/core/numbers.h"

/// Rows of a Jacobian as factors, and what is made of them. What the weights W [k, n] of a dense
/// layer get from one row is sum_c x_c g_c^T over the channels of its jet.
namespace pinn {

/// What rows get from one parameter block at `offset`: its elements x [k], or, if there is a g, the
/// outer product sum_c x_c g_c^T [k, n].
struct RowFactor {
  std::int64_t offset = 0;
  std::size_t channels = 1, k = 0, n = 0;
  std::span<const double> x, g;  ///< [rows, channels, k], [rows, channels, n]
};

/// Rows first ... first + count - 1 themselves, [count, width]: all factors multiplied out and
/// added.
void write_rows(std::span<const RowFactor> factors, std::size_t first, std::size_t count,
                std::size_t width, double* rows);
/// Operations of multiplying out the factors of one row.
double row_flops(std::span<const RowFactor> factors);

/// The Gram matrix K = J J^T of rows that come as factors, without the rows:
///
///   K_ij = sum over parameter blocks of sum_{c,c'} (x_i^c . x_j^c') (g_i^c . g_j^c')
///
/// Rows come in tiles of up to tile_rows(); products are made in the number type that it is made
/// for. The factors are those of Dangel, Kunstner and Hennig (BackPACK, ICLR 2020).
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
  /// The products of the rows of two tiles to k [rows of a][rows of b], `stride` apart.
  virtual void multiply(std::size_t a, std::size_t b, double* k, std::size_t stride) = 0;
  /// Operations in products that this takes for the rows there are; half of a tile with itself.
  virtual double flops(std::size_t a, std::size_t b) const = 0;
};

}  // namespace pinn
