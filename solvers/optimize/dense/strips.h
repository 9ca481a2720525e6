#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "solvers/optimize/dense/bands.h"

namespace pinn {

/// How columns are cut into strips, which ranks keep in turn, there and back: 0 1 2 2 1 0 0 1 ...,
/// for the strips of a triangle grow.
class StripCut {
 public:
  StripCut(Eigen::Index columns, Eigen::Index width, const Ranks& ranks)
      : columns_(columns), width_(width), rank_(ranks.rank()), ranks_(ranks.count()) {}

  Eigen::Index columns() const { return columns_; }
  Eigen::Index count() const { return strips_of(columns_); }
  /// How many strips hold the first columns.
  Eigen::Index strips_of(Eigen::Index columns) const { return (columns + width_ - 1) / width_; }
  Eigen::Index first(Eigen::Index strip) const { return strip * width_; }
  Eigen::Index size(Eigen::Index strip) const { return std::min(width_, columns_ - first(strip)); }
  /// The column behind it, which is how far down it reaches in a triangle.
  Eigen::Index end(Eigen::Index strip) const { return first(strip) + size(strip); }
  int owner(Eigen::Index strip) const {
    const int turn = int(strip % (2 * ranks_));
    return std::min(turn, 2 * ranks_ - 1 - turn);
  }
  bool owns(Eigen::Index strip) const { return owner(strip) == rank_; }
  /// Those of this rank from a strip on.
  std::vector<Eigen::Index> own_from(Eigen::Index strip) const;
  /// Some of their rows above the diagonal, not above that strip's; each a task.
  struct Piece {
    Eigen::Index strip, first, size;
  };
  std::vector<Piece> pieces_from(Eigen::Index strip) const;

 private:
  Eigen::Index columns_, width_;
  int rank_, ranks_;
};

/// An upper triangle [n, n] of which each rank has its strips, as far down as the diagonal. What is
/// computed follows from n alone. Calls that take ranks are acts of all of them.
class StripTriangle {
 public:
  /// Triangle of zeros, unless a rank has to fill its strips first.
  explicit StripTriangle(const StripCut& cut, bool filled = true);
  /// Part of a matrix on and above its diagonal.
  StripTriangle(const StripCut& cut, const Eigen::MatrixXd& whole);

  const StripCut& cut() const { return cut_; }
  /// [end(s), size(s)]; empty where it is another rank's.
  Eigen::MatrixXd& strip(Eigen::Index s) { return strips_[std::size_t(s)]; }
  const Eigen::MatrixXd& strip(Eigen::Index s) const { return strips_[std::size_t(s)]; }

  /// The numbers on the diagonal.
  Eigen::VectorXd diagonal(Ranks& ranks) const;
  /// The lengths of all columns but the last.
  Eigen::VectorXd lengths(Ranks& ranks) const;
  /// The last column, without its last number.
  Eigen::VectorXd last_column(Ranks& ranks) const;
  /// Divides all columns but the last.
  void divide_columns(const Eigen::VectorXd& by);
  /// x := T^-1 x, with the leading T [n, n] of n = x.size().
  void solve(Eigen::VectorXd& x, Ranks& ranks) const;
  /// x := T^-T x
  void solve_transposed(Eigen::VectorXd& x, Ranks& ranks) const;
  /// All of it, on all ranks.
  Eigen::MatrixXd whole(Ranks& ranks) const;

 private:
  StripCut cut_;
  std::vector<Eigen::MatrixXd> strips_;
};

}  // namespace pinn
