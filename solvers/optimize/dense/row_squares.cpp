#include "solvers/optimize/dense/row_squares.h"

#include <algorithm>
#include <cmath>

#include "solvers/optimize/dense/band_rows.h"
#include "solvers/optimize/dense/damped_squares.h"

namespace pinn {

struct RowSquares::Rows : BandRows {
  using BandRows::BandRows;
};

struct RowSquares::Steps {
  DampedSquares squares;
  std::vector<DampedStep> all;
  std::vector<bool> absent;  ///< columns that no row has
};

RowSquares::RowSquares(std::size_t rows, std::size_t columns) : rows_(new Rows(rows, columns)) {}

RowSquares::~RowSquares() = default;
RowSquares::RowSquares(RowSquares&&) noexcept = default;

void RowSquares::set(std::size_t row, std::span<const std::size_t> columns,
                     std::span<const double> values, double residual) {
  rows_->set(row, columns, values, residual);
}

std::vector<std::vector<double>> RowSquares::steps(const std::vector<double>& dampings,
                                                   ThreadPool* threads) {
  Eigen::VectorXd scales = rows_->squared_lengths();
  std::vector<bool> absent;
  for (double& length : scales) {
    absent.push_back(!(length > 0));
    length = length > 0 ? std::sqrt(length) : 1;
  }
  const Workers workers(threads);
  steps_.reset(
      new Steps{DampedSquares(rows_->triangle(workers), std::move(scales), workers), {}, absent});
  rows_ = nullptr;
  steps_->all = steps_->squares.steps(dampings);
  std::vector<std::vector<double>> found;
  for (const DampedStep& one : steps_->all) found.emplace_back(one.d.begin(), one.d.end());
  return found;
}

std::vector<double> RowSquares::solve(std::size_t step, std::span<const double> v) const {
  Eigen::VectorXd present = Eigen::Map<const Eigen::VectorXd>(v.data(), Eigen::Index(v.size()));
  for (std::size_t k = 0; k < v.size(); ++k)
    if (steps_->absent[k]) present[Eigen::Index(k)] = 0;
  const Eigen::VectorXd x = steps_->squares.solve(steps_->all[step], present);
  return {x.begin(), x.end()};
}

}  // namespace pinn
