#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "autograd/core/parallel.h"
#include "autograd/core/ranks.h"

namespace pinn {

class StripTriangle;

/// The normal equations of least squares |R + J d|^2: A = J^T J [n, n] and g = J^T R [n], summed
/// from rows of J and R as they come, of which all ranks get all. The sums do not depend on the
/// number of ranks and threads.
class NormalEquations {
 public:
  explicit NormalEquations(std::size_t size, Ranks& ranks = alone());
  ~NormalEquations();
  NormalEquations(NormalEquations&&) noexcept;

  std::size_t size() const { return gradient_.size(); }
  StripTriangle& matrix() { return *matrix_; }  ///< A on and above its diagonal (strips.h)
  const StripTriangle& matrix() const { return *matrix_; }
  std::vector<double> diagonal() const;  ///< of A
  const std::vector<double>& gradient() const { return gradient_; }

  /// rows [count, n], residuals [count].
  void add(std::span<const double> rows, std::span<const double> residuals, ThreadPool* threads);
  /// One row by its columns that are not 0, ascending; of one rank alone.
  void add(std::span<const std::size_t> columns, std::span<const double> values, double residual);
  /// `scale` times others of the same size.
  void add(const NormalEquations& others, double scale);

 private:
  Ranks& ranks_;
  std::unique_ptr<StripTriangle> matrix_;
  std::vector<double> gradient_;
};

/// The Cholesky factorization, by one rank, of a matrix A + diag(ridge_i A_ii): what is solved does
/// not depend on the units of its parameters. One of which no row depends on is held where it is.
class Cholesky {
 public:
  /// `ridge` [n]
  Cholesky(const NormalEquations& equations, std::span<const double> ridge);

  /// True if the matrix is positive definite; else nothing can be asked.
  bool exists() const { return exists_; }
  /// The matrix inverted, times v [n].
  std::vector<double> solve(std::span<const double> v) const;
  /// The trace of the matrix inverted, times the matrix of other equations of this size.
  double trace_with(const NormalEquations& others) const;

 private:
  std::vector<double> scales_;  ///< 1 / sqrt(A_ii)
  std::vector<double> factor_;  ///< L of the matrix whose diagonal is scaled to 1
  bool exists_;
};

}  // namespace pinn
