#include "solvers/optimize/tall_qr.h"

#include <Eigen/QR>
#include <algorithm>

namespace pinn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Columns that are eliminated together: two of Eigen's blocks.
constexpr Index panel = 96;

constexpr double rows_per_column = 1.5;  ///< of a leaf, at least

std::size_t leaves_of(double rows, double columns) {
  std::size_t leaves = 1;
  while (rows / double(2 * leaves) >= rows_per_column * columns) leaves *= 2;
  return leaves;
}

void factor(MatrixXd& leaf) {
  const Index n = leaf.cols();
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(leaf);
  MatrixXd triangle = leaf.topRows(n).triangularView<Eigen::Upper>();
  leaf.swap(triangle);
}

}  // namespace

void run_tasks(ThreadPool* threads, int count, const std::function<void(int)>& task) {
  if (threads) return threads->run(count, task);
  for (int i = 0; i < count; ++i) task(i);
}

void stack(MatrixXd& upper, MatrixXd& lower) {
  const Index n = upper.cols();
  MatrixXd both;
  for (Index k = 0; k < n; k += panel) {
    const Index w = std::min(panel, n - k), h = k + w, rest = n - k;
    both.resize(w + h, rest);  // rows of the lower triangle below h are zero in these columns
    both.topRows(w) = upper.block(k, k, w, rest);
    both.bottomRows(h) = lower.block(0, k, h, rest);
    Eigen::Ref<MatrixXd> left = both.leftCols(w);
    const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(left);
    if (rest > w) both.rightCols(rest - w).applyOnTheLeft(qr.householderQ().adjoint());
    upper.block(k, k, w, w) = left.topRows(w).triangularView<Eigen::Upper>();
    upper.block(k, k + w, w, rest - w) = both.topRightCorner(w, rest - w);
    lower.block(0, k + w, h, rest - w) = both.bottomRightCorner(h, rest - w);
  }
}

TallMatrix::TallMatrix(std::size_t rows, std::size_t columns) {
  const std::size_t leaves = leaves_of(double(rows), double(columns));
  per_leaf_ = std::max((rows + leaves - 1) / leaves, columns);
  for (std::size_t i = 0; i < leaves; ++i)
    leaves_.emplace_back(MatrixXd::Zero(Index(per_leaf_), Index(columns)));
}

void TallMatrix::take(LeastSquares& squares, std::span<const double> p, std::span<const double> r) {
  squares.jacobian(p, 64, LeastSquares::Eater<double>([this](const JacobianRows<double>& rows) {
                     for (std::size_t i = 0; i < rows.count; ++i)
                       set_row(rows.first + i, rows.row(i));
                   }));
  for (std::size_t i = 0; i < r.size(); ++i) set_last(i, r[i]);
}

void TallMatrix::set_row(std::size_t row, const double* values) {
  MatrixXd& leaf = leaves_[row / per_leaf_];
  const Index n = leaf.cols() - 1;
  leaf.row(Index(row % per_leaf_)).head(n) = Eigen::Map<const Eigen::RowVectorXd>(values, n);
}

void TallMatrix::set_last(std::size_t row, double value) {
  MatrixXd& leaf = leaves_[row / per_leaf_];
  leaf(Index(row % per_leaf_), leaf.cols() - 1) = value;
}

MatrixXd TallMatrix::triangle(ThreadPool* threads) {
  run_tasks(threads, int(leaves_.size()), [this](int i) { factor(leaves_[std::size_t(i)]); });
  for (std::size_t step = 1; step < leaves_.size(); step *= 2)
    run_tasks(threads, int(leaves_.size() / (2 * step)), [&](int i) {
      const std::size_t at = std::size_t(i) * 2 * step;
      stack(leaves_[at], leaves_[at + step]);
      leaves_[at + step].resize(0, 0);
    });
  MatrixXd result;
  result.swap(leaves_[0]);
  return result;
}

double tall_qr_numbers(double rows, double columns) {
  const double leaves = double(leaves_of(rows, columns));
  return std::max(rows, leaves * columns) * columns + leaves * columns * columns;
}

}  // namespace pinn
