#include "solvers/optimize/tall_qr.h"

#include <Eigen/QR>
#include <algorithm>

namespace pinn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Columns that are eliminated together: two of Eigen's blocks.
constexpr Index panel = 96;
/// Columns that one task applies reflections to.
constexpr Index together = 128;

constexpr double rows_per_column = 1.5;  ///< of a leaf, at least

std::size_t leaves_of(double rows, double columns) {
  std::size_t leaves = 1;
  while (rows / double(2 * leaves) >= rows_per_column * columns) leaves *= 2;
  return leaves;
}

/// The reflections I - tau v v^T of a panel as one: Q = I - V T V^T (Schreiber, Van Loan, SIAM J.
/// Sci. Stat. Comput. 10 (1989) 53-57), by the inverse of T, which is the upper triangle of V^T V
/// with 1/tau on its diagonal (Joffrain et al., ACM Trans. Math. Softw. 32 (2006) 169-179).
struct Reflections {
  MatrixXd v;        ///< [rows, panel], without its first `identity` rows, which are those of 1
  MatrixXd inverse;  ///< of T
  Index identity;

  /// c := Q^T c
  void apply(Eigen::Ref<MatrixXd> c) const {
    auto below = c.bottomRows(v.rows());
    MatrixXd x = v.transpose() * below;
    if (identity > 0) x += c.topRows(identity);
    inverse.triangularView<Eigen::Upper>().transpose().solveInPlace(x);
    if (identity > 0) c.topRows(identity) -= x;
    below.noalias() -= v * x;
  }
};

/// Makes the panel's upper triangle; the rest of it is left undefined. Of two triangles that are
/// stacked, the upper one's rows in V are those of 1.
Reflections eliminate(Eigen::Ref<MatrixXd> columns, bool stacked) {
  const Index w = columns.cols();
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(columns);
  Reflections made{columns.bottomRows(columns.rows() - (stacked ? w : 0)), {}, stacked ? w : 0};
  if (!stacked) made.v.topRows(w).triangularView<Eigen::StrictlyUpper>().setZero();
  if (!stacked) made.v.diagonal().setOnes();
  made.inverse = made.v.transpose() * made.v;
  for (Index k = 0; k < w; ++k) made.inverse(k, k) = 1 / qr.hCoeffs()[k];  // infinite where tau = 0
  return made;
}

/// The triangle of a leaf, panel by panel.
void factor(MatrixXd& leaf, ThreadPool* threads) {
  const Index n = leaf.cols();
  for (Index k = 0; k < n; k += panel) {
    const Index w = std::min(panel, n - k), rows = leaf.rows() - k, next = k + w;
    const Reflections made = eliminate(leaf.block(k, k, rows, w), false);
    run_tasks(threads, int((n - next + together - 1) / together), [&](int i) {
      const Index first = next + i * together;
      made.apply(leaf.block(k, first, rows, std::min(together, n - first)));
    });
  }
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
    const Reflections made = eliminate(both.leftCols(w), true);
    if (rest > w) made.apply(both.rightCols(rest - w));
    upper.block(k, k, w, w) = both.topLeftCorner(w, w).triangularView<Eigen::Upper>();
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
  const bool many = threads && leaves_.size() >= std::size_t(threads->threads());
  run_tasks(many ? threads : nullptr, int(leaves_.size()),
            [&](int i) { factor(leaves_[std::size_t(i)], many ? nullptr : threads); });
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
