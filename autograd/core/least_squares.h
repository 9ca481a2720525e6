#pragma once
#include <cstddef>
#include <functional>
#include <span>

namespace pinn {

/// A sum of squares L(p) = |R(p)|^2 with the rows R and J = dR/dp: what second-order methods ask.
/// dL/dp = 2 J^T R. All numbers are float64, and their bits do not depend on the number of threads.
class LeastSquares {
 public:
  virtual ~LeastSquares() = default;

  virtual std::size_t rows() const = 0;
  /// R [rows]
  virtual void residual(std::span<const double> p, std::span<double> r) = 0;
  /// Uses up rows first ... first + count - 1 of J, `rows` [count, parameters], which are there
  /// until it returns.
  using Eater = std::function<void(std::size_t first, std::size_t count, const double* rows)>;
  /// All rows of J go to `eat`, at most so many at a time - as many as fit the second cache - in no
  /// order, on several threads at once. No more of them are ever in memory.
  virtual void jacobian(std::span<const double> p, std::size_t most, const Eater& eat) = 0;
  /// Rows first ... first + count - 1 of J to `rows` [count, parameters].
  virtual void jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                             std::span<double> rows) = 0;
  /// J v [rows]
  virtual void jacobian_times(std::span<const double> p, std::span<const double> v,
                              std::span<double> rows) = 0;
  /// J^T w [parameters]
  virtual void transposed_times(std::span<const double> p, std::span<const double> w,
                                std::span<double> product) = 0;
  /// H v [parameters] with the Hessian H of L.
  virtual void hessian_times(std::span<const double> p, std::span<const double> v,
                             std::span<double> product) = 0;
  /// K = J J^T [rows, rows], without rows of J.
  virtual void gram(std::span<const double> p, std::span<double> k) = 0;
};

}  // namespace pinn
