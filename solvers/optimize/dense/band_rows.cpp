#include "solvers/optimize/dense/band_rows.h"

#include <algorithm>

#include "solvers/optimize/dense/dense.h"
#include "solvers/optimize/dense/tall_qr.h"

namespace pinn {

using Eigen::Index;
using Eigen::MatrixXd;

/// The way in which rows are eliminated.
struct BandRows::Order {
  struct Narrow {
    Index first, end;  ///< of its columns before `shared`
    const Row* row;
  };
  Index shared = 0;            ///< the first of the columns that most rows have
  std::vector<Narrow> narrow;  ///< by their first column
  std::vector<const Row*> wide;
};

namespace {

/// Columns that are eliminated together.
constexpr Index block = 96;

/// The triangle on and above the diagonal of what reflections left.
MatrixXd upper(const MatrixXd& reflected) {
  const Index rows = std::min(reflected.rows(), reflected.cols());
  return reflected.topRows(rows).triangularView<Eigen::Upper>();
}

}  // namespace

BandRows::BandRows(std::size_t rows, std::size_t columns) : columns_(Index(columns)), rows_(rows) {}

void BandRows::set(std::size_t row, std::span<const std::size_t> columns,
                   std::span<const double> values, double residual) {
  rows_[row] = {values_.size(), values_.size() + values.size(), residual};
  at_.insert(at_.end(), columns.begin(), columns.end());
  values_.insert(values_.end(), values.begin(), values.end());
}

Eigen::VectorXd BandRows::squared_lengths() const {
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(columns_);
  for (std::size_t k = 0; k < at_.size(); ++k) squares[at_[k]] += values_[k] * values_[k];
  return squares;
}

BandRows::Order BandRows::order() const {
  std::vector<std::size_t> uses(std::size_t(columns_), 0);
  for (const Index column : at_) ++uses[std::size_t(column)];
  Order all{columns_, {}, {}};
  while (all.shared > 0 && 2 * uses[std::size_t(all.shared - 1)] > rows_.size()) --all.shared;
  for (const Row& row : rows_) {
    Order::Narrow found{all.shared, all.shared, &row};
    Index last = -1;
    for (std::size_t k = row.begin; k < row.end; ++k) {
      if (at_[k] >= all.shared) continue;
      found.first = std::min(found.first, at_[k]);
      last = std::max(last, at_[k]);
    }
    if (last >= 0) found.end = last + 1;
    if (2 * (found.end - found.first) > all.shared)
      all.wide.push_back(&row);
    else
      all.narrow.push_back(found);
  }
  std::ranges::stable_sort(all.narrow, {}, &Order::Narrow::first);
  return all;
}

void BandRows::write(const Row& row, double* to) const {
  for (std::size_t k = row.begin; k < row.end; ++k) to[at_[k]] += values_[k];
  to[columns_] = row.residual;
}

MatrixXd BandRows::eliminated(const Order& order) const {
  const Index n = columns_ + 1, shared = n - order.shared;
  MatrixXd triangle = MatrixXd::Zero(n, n);
  MatrixXd carried(0, shared);  // rows of the columns from `begin` to `reach`, and the shared ones
  Index reach = 0;
  auto next = order.narrow.begin();
  for (Index begin = 0; begin <= order.shared; begin += block) {
    const Index end = begin + block > order.shared ? n : begin + block;
    const auto first = next;
    Index far = std::max(reach, std::min(end, order.shared));
    for (; next != order.narrow.end() && next->first < end; ++next) far = std::max(far, next->end);
    MatrixXd front = MatrixXd::Zero(carried.rows() + (next - first), far - begin + shared);
    const Index own = carried.cols() - shared;
    front.topLeftCorner(carried.rows(), own) = carried.leftCols(own);
    front.topRightCorner(carried.rows(), shared) = carried.rightCols(shared);
    Index at = carried.rows();
    for (auto row = first; row != next; ++row, ++at)
      for (std::size_t k = row->row->begin; k < row->row->end; ++k) {
        const bool is_shared = at_[k] >= order.shared;
        front(at, is_shared ? far - begin + at_[k] - order.shared : at_[k] - begin) += values_[k];
      }
    at = carried.rows();
    for (auto row = first; row != next; ++row, ++at)
      front(at, front.cols() - 1) = row->row->residual;
    if (front.rows() > 0) reflections(front);
    const MatrixXd made = upper(front);
    const Index done = std::min(end - begin, made.rows());
    triangle.block(begin, begin, done, far - begin) = made.topLeftCorner(done, far - begin);
    triangle.block(begin, order.shared, done, shared) = made.topRightCorner(done, shared);
    if (end == n) break;
    carried = made.bottomRightCorner(made.rows() - done, made.cols() - (end - begin));
    reach = far;
  }
  return triangle;
}

StripTriangle BandRows::triangle(const Workers& workers) const {
  const Order all = order();
  const Index n = columns_ + 1;
  const MatrixXd narrow = eliminated(all);
  if (all.wide.empty()) return {StripCut(n, block, alone()), narrow};
  TallMatrix rows(std::size_t(n) + all.wide.size(), std::size_t(n));
  Eigen::VectorXd whole(n);
  std::size_t at = 0;
  const auto add = [&] {
    rows.set_row(at, whole.data());
    rows.set_last(at++, whole[n - 1]);
  };
  for (Index i = 0; i < n; ++i) {
    whole = narrow.row(i);
    add();
  }
  for (const Row* row : all.wide) {
    whole.setZero();
    write(*row, whole.data());
    add();
  }
  return rows.triangle(workers);
}

}  // namespace pinn
