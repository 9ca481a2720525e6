#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "autograd/core/least_squares.h"

namespace pinn {

/// A step, and by how much it lowers |J s + R|^2 + ridge |s|^2.
struct PlannedStep {
  Eigen::VectorXd d;
  double predicted = 0;
};

/// The best of all sums of some directions, at parameters p with the rows r. Zeros, predicted to
/// lower nothing, where the directions are.
///
///   cost  a product with J for each direction
PlannedStep best_sum(LeastSquares& squares, std::span<const double> p, std::span<const double> r,
                     std::vector<Eigen::VectorXd> along, double ridge);

}  // namespace pinn
