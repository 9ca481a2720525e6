#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/cpu/vectors/aligned.h"

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
double row_flops(std::span<const RowFactor> factors);

/// Writes rows, in any number type: all factors multiplied out and added.
template <class T> class RowWriter {
 public:
  /// The factors of rows of a step in `step`, which have to stay until these are written.
  void take(DType step, std::span<const RowFactor> factors);
  /// Rows first ... first + count - 1 of these to rows [count][width], `stride` apart. As fast as
  /// can be if rows begin with a cache line.
  void write(std::size_t first, std::size_t count, std::size_t width, T* rows, std::size_t stride);

 private:
  /// A factor, and where its numbers of a row are gathered.
  struct Gathered {
    RowFactor factor;
    std::size_t x, g;
    bool adds;  ///< to another factor of the same parameter block
  };

  template <class Step> void gather(std::size_t group);
  void put_row(const T* from, T* row) const;

  DType step_ = DType::float64;
  std::vector<Gathered> factors_;
  std::size_t group_ = 0, size_ = 0;  ///< which rows are gathered; numbers of one
  std::size_t covered_ = 0;           ///< parameters that the factors are of
  cpu::Aligned<T> gathered_;          ///< as many rows as a vector has numbers: x, g, x, g, ...
};

}  // namespace pinn
