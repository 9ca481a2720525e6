#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/core/least_squares.h"
#include "autograd/core/numbers.h"

/// Rows of a Jacobian as factors, and what is made of them. What the weights W [k, n] of a dense
/// layer get from one row is sum_c x_c g_c^T over the channels of its jet.
namespace pinn {

/// Entries of rows for one parameter block at `offset`: its elements x [k], or, if there is a g,
/// the outer product sum_c x_c g_c^T [k, n]. An element of all rows is a lane: they stand side by
/// side, in the number type of the step, with room for whole vectors.
struct RowFactor {
  std::int64_t offset = 0;
  std::size_t channels = 1, k = 0, n = 0;
  const void* const* x = nullptr;  ///< lanes [channels, k]
  const void* const* g = nullptr;  ///< lanes [channels, n]; null if x are the elements
};

/// Rows that are best made together: lanes of five cache lines, which spread over the first cache
/// and make products five vectors wide; of numbers of so many bytes.
constexpr std::size_t rows_together(std::size_t bytes) { return 5 * 64 / bytes; }

/// Operations of multiplying out the factors of one row.
inline double row_flops(std::span<const RowFactor> factors) {
  double flops = 0;
  for (const RowFactor& f : factors) flops += 2 * double(f.channels * f.k * f.n);
  return flops;
}

/// Operations that KroneckerSums takes for one row.
inline double kronecker_flops(std::span<const RowFactor> factors) {
  double flops = 0;
  for (const RowFactor& f : factors)
    flops += 2 * double(f.channels) * double(f.g ? f.k * f.k + f.n * f.n : f.k * f.k);
  return flops;
}

/// Writes rows, in any number type: all factors multiplied out and added.
template <class T> class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// The factors of rows of a step in `step`, which have to stay until these are written.
  virtual void take(DType step, std::span<const RowFactor> factors) = 0;
  /// Rows first ... first + count - 1 of these to rows [count][width], `stride` apart. As fast as
  /// can be if rows begin with a cache line.
  virtual void write(std::size_t first, std::size_t count, std::size_t width, T* rows,
                     std::size_t stride) = 0;
};

/// The Gram matrix K = J J^T of rows that come as factors, without the rows:
///
///   K_ij = sum over parameter blocks of sum_{c,c'} (x_i^c . x_j^c') (g_i^c . g_j^c')
///
/// Rows come in tiles of up to tile_rows(); products are made in the number type that it is made
/// for, that of the step. The factors are those of Dangel, Kunstner and Hennig (BackPACK, ICLR
/// 2020).
class Gram {
 public:
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

/// Adds up the Kronecker factors of rows that come as factors (KroneckerFactors), in float64, in
/// the order in which they come.
class KroneckerSums {
 public:
  virtual ~KroneckerSums() = default;
  /// Takes the first `rows` rows of factors of a step in `step`.
  ///
  ///   cost  2 channels (m^2 + n^2) flops a row and matrix
  virtual void add(DType step, std::span<const RowFactor> factors, std::size_t rows) = 0;
  /// Takes what others added up, which were made as these were.
  virtual void add(const KroneckerSums& others) = 0;
  /// By offset.
  virtual std::vector<KroneckerFactors> factors() const = 0;
};

}  // namespace pinn
