#pragma once
#include <Eigen/Core>
#include <span>

#include "autograd/core/least_squares.h"
#include "solvers/optimize/dense/strips.h"

namespace pinn {

// Least squares |J d + r| by orthogonal transformations of the augmented matrix [J r] to an upper
// triangle [R c; 0 rho]: |J d + r|^2 = |R d + c|^2 + rho^2 for every d. Unlike with J^T J no digit
// is lost to a condition number that is squared. What is computed follows from sizes alone, not
// from the number of ranks and threads.

/// R [n, n] of [upper; lower] for each pair, upper triangles [n, n] both: it takes the place of
/// `upper`, and `lower` is used up. An act of all ranks.
///
///   cost  2/3 n^3 flops a pair
struct StackedPair {
  StripTriangle *upper, *lower;
};
void stack(std::span<const StackedPair> pairs, const Workers& workers);

/// A tall matrix whose rows are written in any order, cut into leaves of at least 3/2 as many rows
/// as columns. Of each leaf a rank has its strips.
class TallMatrix {
 public:
  TallMatrix(std::size_t rows, std::size_t columns, const Ranks& ranks = alone());

  /// Rows of J at p, and r as the last column.
  void take(LeastSquares& squares, std::span<const double> p, std::span<const double> r);
  void set_row(std::size_t row, const double* values);  ///< of all columns but the last
  void set_last(std::size_t row, double value);

  /// The triangle [columns, columns]; uses the matrix up. Leaves are factored by themselves, then
  /// neighbors' triangles are stacked, and so on. An act of all ranks.
  ///
  ///   cost  2 rows columns^2 flops, and the stacking
  StripTriangle triangle(const Workers& workers);

 private:
  StripCut cut_;
  std::size_t per_leaf_;
  std::vector<StripTriangle> leaves_;  ///< strips of all rows, up to the last call
};

/// How many numbers that takes, of each rank.
double tall_qr_numbers(double rows, double columns, int ranks);
/// And so many pairs that are stacked at once.
double stack_numbers(double pairs, double columns, int ranks);

}  // namespace pinn
