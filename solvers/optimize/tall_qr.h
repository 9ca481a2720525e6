#pragma once
#include <Eigen/Core>
#include <functional>
#include <span>

#include "autograd/core/least_squares.h"
#include "autograd/core/parallel.h"

namespace pinn {

// Least squares |J d + r| by orthogonal transformations of the augmented matrix [J r] to an upper
// triangle [R c; 0 rho]: |J d + r|^2 = |R d + c|^2 + rho^2 for every d. Unlike with J^T J no digit
// is lost to a condition number that is squared. What is computed follows from sizes alone, not
// from the number of threads.

/// Runs task(0) ... task(count - 1), on these threads where there are some.
void run_tasks(ThreadPool* threads, int count, const std::function<void(int)>& task);

/// R [n, n] of [upper; lower], both upper triangles [n, n]; `lower` is used up.
///
///   cost  2/3 n^3 flops
void stack(Eigen::MatrixXd& upper, Eigen::MatrixXd& lower);

/// A tall matrix whose rows are written in any order, cut into leaves of at least 3/2 as many rows
/// as columns.
class TallMatrix {
 public:
  TallMatrix(std::size_t rows, std::size_t columns);

  /// Rows of J at p, and r as the last column.
  void take(LeastSquares& squares, std::span<const double> p, std::span<const double> r);
  void set_row(std::size_t row, const double* values);  ///< of all columns but the last
  void set_last(std::size_t row, double value);

  /// The triangle [columns, columns]; uses the matrix up. Leaves are factored by themselves, then
  /// neighbors' triangles are stacked, and so on.
  ///
  ///   cost  2 rows columns^2 flops, and the stacking
  Eigen::MatrixXd triangle(ThreadPool* threads);

 private:
  std::size_t per_leaf_;
  std::vector<Eigen::MatrixXd> leaves_;
};

/// How many numbers that takes.
double tall_qr_numbers(double rows, double columns);

}  // namespace pinn
