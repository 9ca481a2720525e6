#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace pinn {

/// Rows first ... first + count - 1 of J: as many numbers each as there are parameters, one row
/// `stride` numbers after the other. The first begins with a cache line, and so do all.
template <class T> struct JacobianRows {
  std::size_t first, count;
  const T* numbers;
  std::size_t stride;

  const T* row(std::size_t i) const { return numbers + i * stride; }
};

/// Contribution of the rows of one term to J^T J for a weight matrix [m, n] at `offset` of the
/// parameters, as A (x) G: a row gets sum_c x_c g_c^T of it over channels c, and A [m, m] is the
/// mean of x x^T over rows and channels, G [n, n] the sum of g g^T. Exact for one row of one
/// channel, and of a bias, where m = 1 and A = 1; of a matrix without such channels A is 1/m of the
/// unit matrix.
struct KroneckerFactors {
  std::size_t offset = 0, m = 1, n = 1;
  bool equation = true;  ///< whether the rows are of an equation, or of a condition or data
  std::vector<double> a, g;
};

/// A sum of squares L(p) = |R(p)|^2 with the rows R and J = dR/dp: what second-order methods ask.
/// dL/dp = 2 J^T R. All numbers are float64 unless asked for otherwise, and their bits do not
/// depend on the number of threads.
class LeastSquares {
 public:
  virtual ~LeastSquares() = default;

  virtual std::size_t rows() const = 0;
  /// R [rows]
  virtual void residual(std::span<const double> p, std::span<double> r) = 0;
  /// Uses up some rows of J, which are there until it returns.
  template <class T> using Eater = std::function<void(const JacobianRows<T>& rows)>;
  /// All rows of J go to `eat`, at most so many at a time - as many as fit the second cache - in no
  /// order, on several threads at once. No more of them are ever in memory. What takes them in
  /// float32 gets what a step in float32 computes, and of one in float64 rounded factors.
  virtual void jacobian(std::span<const double> p, std::size_t most, const Eater<double>& eat) = 0;
  virtual void jacobian(std::span<const double> p, std::size_t most, const Eater<float>& eat) = 0;
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
  /// Kronecker factors of every weight matrix and every term that depends on it, terms in order.
  virtual std::vector<KroneckerFactors> kronecker(std::span<const double> p) = 0;
};

}  // namespace pinn
