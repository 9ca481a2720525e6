#pragma once
#include "autograd/core/random.h"
#include "solvers/residual/points.h"

namespace pinn {

/// Points taken in turn, at most `size` for a step: all of them in a random order, cut into batches
/// of nearly one size; then in another order.
class Batches {
 public:
  /// `random` without a draw: that counts the orders.
  Batches(PointSet points, std::size_t size, const Random& random);

  /// The batch of a step: a function of its number.
  PointSet at(std::int64_t step);

 private:
  void take_order(std::uint32_t number);

  PointSet points_;
  std::size_t batches_;
  Random random_;
  std::vector<std::size_t> order_;  ///< number random_.draw; empty before the first
};

}  // namespace pinn
