#pragma once
#include "solvers/optimize/least_squares/least_squares_method.h"

namespace pinn {

/// The steps from where a move begins, bent and corrected until the loss falls nearly as predicted:
/// a valley that turns is followed as far as the damping lets it.
///
///   source  acceleration: Transtrum, Sethna, arXiv:1201.5885 (2012); correction: Fan, Math. Comp.
///           81 (2012) 447-466, who makes one
class Valley {
 public:
  /// All of it has to outlive this; `scales` are D, and `move` counts evaluations.
  Valley(const SquaresMove& start, const DampedSquares& model, const Eigen::VectorXd& scales,
         Move& move)
      : start_(start), model_(model), scales_(scales), move_(move) {}

  /// As `geodesic` and `corrections` of the options have it.
  TriedStep follow(const DampedStep& step, const OptimizerOptions& options) const;

 private:
  /// End of a step, and the rows there.
  struct Reached {
    Eigen::VectorXd d;
    Rows rows;
  };

  Reached reach(Eigen::VectorXd d) const;
  void bend(const DampedStep& step, Reached& reached) const;
  bool correct(const DampedStep& step, Reached& reached) const;
  double size(const Eigen::VectorXd& d) const { return scales_.cwiseProduct(d).norm(); }
  Eigen::VectorXd transposed(const std::vector<double>& w) const;

  const SquaresMove& start_;
  const DampedSquares& model_;
  const Eigen::VectorXd& scales_;
  Move& move_;
};

}  // namespace pinn
