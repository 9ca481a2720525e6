#include "solvers/optimize/dense/strip_cholesky.h"

#include <Eigen/Cholesky>
#include <utility>

#include "solvers/optimize/dense/dense.h"

namespace pinn {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

StripCholesky::StripCholesky(StripTriangle a, Ranks& ranks)
    : a_(std::move(a)), u_(a_.cut(), false), diagonal_(a_.diagonal(ranks)), ranks_(ranks) {}

bool StripCholesky::factor(double shift, ThreadPool* threads) {
  const StripCut& cut = a_.cut();
  u_ = a_;
  for (const Index s : cut.own_from(0)) u_.strip(s).bottomRows(size(s)).diagonal().array() += shift;
  for (Index k = 0; k < cut.count(); ++k) {
    if (!factor_diagonal(k)) return false;
    const std::vector<Index> own = cut.own_from(k + 1);
    run_tasks(threads, int(own.size()), [&](int task) {
      auto beside = u_.strip(own[std::size_t(task)]).middleRows(cut.first(k), size(k));
      solve_upper_transposed(corner_, beside);
      row_.middleCols(cut.first(own[std::size_t(task)]), beside.cols()) = beside;
    });
    exchange_row(k);
    const std::vector<StripCut::Piece> pieces = cut.pieces_from(k + 1);
    run_tasks(threads, int(pieces.size()), [&](int task) {
      const auto& [s, first, count] = pieces[std::size_t(task)];
      add_inner_product(u_.strip(s).middleRows(first, count), row_.middleCols(first, count),
                        row_.middleCols(cut.first(s), size(s)), -1);
    });
    run_tasks(threads, int(own.size()), [&](int task) {
      const Index s = own[std::size_t(task)];
      u_.strip(s).bottomRows(size(s)).selfadjointView<Eigen::Upper>().rankUpdate(
          row_.middleCols(cut.first(s), size(s)).transpose(), -1);
    });
  }
  return true;
}

/// The corner on all ranks; false where it has no factor.
bool StripCholesky::factor_diagonal(Index k) {
  const Index n = size(k);
  corner_.resize(n, n + 1);  // and in the last column whether there is one
  if (a_.cut().owns(k)) {
    auto own = u_.strip(k).bottomRows(n);
    const Eigen::LLT<MatrixXd> factored(own.selfadjointView<Eigen::Upper>());
    own = factored.matrixL().transpose();
    corner_.leftCols(n) = own;
    corner_(0, n) = factored.info() == Eigen::Success;
  }
  if (ranks_.count() > 1)
    share_out(ranks_, a_.cut().owner(k), {corner_.data(), std::size_t(n * n + 1)});
  const bool exists = corner_(0, n) == 1;
  corner_.conservativeResize(n, n);
  row_.resize(n, a_.cut().columns());
  return exists;
}

/// All columns of the row on all ranks.
void StripCholesky::exchange_row(Index k) {
  const StripCut& cut = a_.cut();
  if (ranks_.count() == 1 || k + 1 == cut.count()) return;
  std::vector<std::vector<std::span<double>>> by_rank(std::size_t(ranks_.count()));
  for (Index s = k + 1; s < cut.count(); ++s)
    by_rank[std::size_t(cut.owner(s))].push_back(
        {row_.col(cut.first(s)).data(), std::size_t(row_.rows() * size(s))});
  share_out(ranks_, by_rank);
}

VectorXd StripCholesky::times(const VectorXd& v) const {
  const StripCut& cut = a_.cut();
  VectorXd product = VectorXd::Zero(cut.columns());
  for (Index s = 0; s < cut.count(); ++s) {
    auto own = product.segment(cut.first(s), size(s));
    if (cut.owns(s)) {
      const auto above = a_.strip(s).topRows(cut.first(s));
      product.head(cut.first(s)).noalias() += above * v.segment(cut.first(s), size(s));
      own = above.transpose() * v.head(cut.first(s)) +
            a_.strip(s).bottomRows(size(s)).selfadjointView<Eigen::Upper>() *
                v.segment(cut.first(s), size(s));
    }
    if (ranks_.count() > 1)
      share_out(ranks_, cut.owner(s), {product.data(), std::size_t(cut.end(s))});
  }
  return product;
}

VectorXd StripCholesky::solve(VectorXd v) const {
  u_.solve_transposed(v, ranks_);
  u_.solve(v, ranks_);
  return v;
}

}  // namespace pinn
