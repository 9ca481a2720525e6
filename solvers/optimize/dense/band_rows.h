#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "solvers/optimize/dense/strips.h"

namespace pinn {

/// The rows of least squares |J d + r|^2 most of whose numbers are 0, and those that are not close
/// together, as splines make them; by one rank.
class BandRows {
 public:
  BandRows(std::size_t rows, std::size_t columns);

  /// A row by its columns that are not 0, which may be named twice, and its residual. Rows come in
  /// any order, once each; one that is not set is 0.
  void set(std::size_t row, std::span<const std::size_t> columns, std::span<const double> values,
           double residual);

  /// The squared lengths of the columns.
  Eigen::VectorXd squared_lengths() const;

  /// The upper triangle [columns + 1, columns + 1] that [J r] becomes by orthogonal
  /// transformations. Columns are eliminated from left to right, a block at a time, among the rows
  /// that have come so far; behind the columns that rows have in common lie those that most rows
  /// have, which are carried along; rows that reach from one end to the other come last (Lawson,
  /// Hanson, Solving Least Squares Problems (1974), chapter 27).
  ///
  ///   cost  about 4 rows band^2 flops
  StripTriangle triangle(const Workers& workers) const;

 private:
  struct Row {
    std::size_t begin = 0, end = 0;  ///< of its numbers
    double residual = 0;
  };
  struct Order;
  Order order() const;
  Eigen::MatrixXd eliminated(const Order& order) const;
  void write(const Row& row, double* to) const;

  Eigen::Index columns_;
  std::vector<Row> rows_;
  std::vector<Eigen::Index> at_;  ///< columns of all numbers
  std::vector<double> values_;
};

}  // namespace pinn
