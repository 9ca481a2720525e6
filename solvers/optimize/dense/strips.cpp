#include "solvers/optimize/dense/strips.h"

#include <algorithm>

namespace pinn {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

std::span<double> span(double* numbers, Index count) { return {numbers, std::size_t(count)}; }

/// A number for each of the first columns, by a function of strips and columns in them.
template <class Of>
VectorXd by_column(const StripCut& cut, Index columns, Ranks& ranks, const Of& number_of) {
  VectorXd numbers(columns);
  std::vector<std::vector<std::span<double>>> by_rank(std::size_t(ranks.count()));
  for (Index s = 0; s < cut.strips_of(columns); ++s) {
    const Index first = cut.first(s), count = std::min(cut.size(s), columns - first);
    by_rank[std::size_t(cut.owner(s))].push_back(span(numbers.data() + first, count));
    for (Index k = 0; k < count && cut.owns(s); ++k) numbers[first + k] = number_of(s, k);
  }
  if (ranks.count() > 1) share_out(ranks, by_rank);
  return numbers;
}

}  // namespace

std::vector<Index> StripCut::own_from(Index strip) const {
  std::vector<Index> own;
  for (Index s = strip; s < count(); ++s)
    if (owns(s)) own.push_back(s);
  return own;
}

std::vector<StripCut::Piece> StripCut::pieces_from(Index strip) const {
  constexpr Index most = 384;  // rows
  std::vector<Piece> pieces;
  for (const Index s : own_from(strip))
    for (Index i = first(strip); i < first(s); i += most)
      pieces.push_back({s, i, std::min(most, first(s) - i)});
  return pieces;
}

StripTriangle::StripTriangle(const StripCut& cut, bool filled)
    : cut_(cut), strips_(std::size_t(cut.count())) {
  if (filled)
    for (const Index s : cut.own_from(0)) strip(s) = MatrixXd::Zero(cut.end(s), cut.size(s));
}

StripTriangle::StripTriangle(const StripCut& cut, const MatrixXd& whole)
    : StripTriangle(cut, false) {
  for (const Index s : cut.own_from(0))
    strip(s) = whole.block(0, cut.first(s), cut.end(s), cut.size(s));
}

VectorXd StripTriangle::diagonal(Ranks& ranks) const {
  return by_column(cut_, cut_.columns(), ranks,
                   [&](Index s, Index k) { return strip(s)(cut_.first(s) + k, k); });
}

VectorXd StripTriangle::lengths(Ranks& ranks) const {
  return by_column(cut_, cut_.columns() - 1, ranks, [&](Index s, Index k) {
    return strip(s).col(k).head(cut_.first(s) + k + 1).norm();
  });
}

VectorXd StripTriangle::last_column(Ranks& ranks) const {
  const Index last = cut_.count() - 1;
  VectorXd column(cut_.columns() - 1);
  if (cut_.owns(last)) column = strip(last).rightCols(1).topRows(column.size());
  if (ranks.count() > 1) share_out(ranks, cut_.owner(last), span(column.data(), column.size()));
  return column;
}

void StripTriangle::divide_columns(const VectorXd& by) {
  for (const Index s : cut_.own_from(0))
    for (Index k = 0; k < cut_.size(s) && cut_.first(s) + k < by.size(); ++k)
      strip(s).col(k) /= by[cut_.first(s) + k];
}

void StripTriangle::solve(VectorXd& x, Ranks& ranks) const {
  for (Index s = cut_.strips_of(x.size()); s-- > 0;) {
    const Index first = cut_.first(s), w = std::min(cut_.size(s), x.size() - first);
    if (cut_.owns(s)) {
      const auto t = strip(s).leftCols(w);
      auto own = x.segment(first, w);
      t.middleRows(first, w).triangularView<Eigen::Upper>().solveInPlace(own);
      x.head(first).noalias() -= t.topRows(first) * own;
    }
    if (ranks.count() > 1) share_out(ranks, cut_.owner(s), span(x.data(), first + w));
  }
}

void StripTriangle::solve_transposed(VectorXd& x, Ranks& ranks) const {
  for (Index s = 0; s < cut_.strips_of(x.size()); ++s) {
    const Index first = cut_.first(s), w = std::min(cut_.size(s), x.size() - first);
    auto own = x.segment(first, w);
    if (cut_.owns(s)) {
      const auto t = strip(s).leftCols(w);
      own.noalias() -= t.topRows(first).transpose() * x.head(first);
      t.middleRows(first, w).triangularView<Eigen::Upper>().transpose().solveInPlace(own);
    }
    if (ranks.count() > 1) share_out(ranks, cut_.owner(s), span(own.data(), w));
  }
}

MatrixXd StripTriangle::whole(Ranks& ranks) const {
  MatrixXd all = MatrixXd::Zero(cut_.columns(), cut_.columns());
  for (Index s = 0; s < cut_.count(); ++s) {
    MatrixXd own = cut_.owns(s) ? strip(s) : MatrixXd(cut_.end(s), cut_.size(s));
    if (ranks.count() > 1) share_out(ranks, cut_.owner(s), span(own.data(), own.size()));
    all.block(0, cut_.first(s), cut_.end(s), cut_.size(s)) = own;
  }
  return all.triangularView<Eigen::Upper>();
}

}  // namespace pinn
