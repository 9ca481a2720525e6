#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "autograd/core/parallel.h"

namespace pinn {

/// Least squares |R + J d|^2 from rows most of whose numbers are 0, by one rank. Rows become a
/// triangle by orthogonal transformations (band_rows.h), so that no digit is lost to a condition
/// number that is squared, as it is in normal equations.
class RowSquares {
 public:
  /// More rows than columns; one that is not set is 0.
  RowSquares(std::size_t rows, std::size_t columns);
  ~RowSquares();
  RowSquares(RowSquares&&) noexcept;

  /// A row by its columns that are not 0.
  void set(std::size_t row, std::span<const std::size_t> columns, std::span<const double> values,
           double residual);

  /// Makes the triangle, and the step for each damping, which is one of columns of length 1; a
  /// column that no row has stays 0. No more rows are set.
  ///
  ///   cost  that of BandRows::triangle, and 2/3 columns^3 flops for each damping
  std::vector<std::vector<double>> steps(const std::vector<double>& dampings,
                                         ThreadPool* threads = nullptr);
  /// (J^T J + damping D^2)^-1 v, with the damping of step number `step`, as if v were 0 in columns
  /// that no row has. With the threads of `steps`.
  std::vector<double> solve(std::size_t step, std::span<const double> v) const;

 private:
  struct Rows;
  struct Steps;
  std::unique_ptr<Rows> rows_;
  std::unique_ptr<Steps> steps_;
};

}  // namespace pinn
