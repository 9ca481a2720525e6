#pragma once
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// What adam and sgd share: one evaluation a move, clipping, a schedule, and honest stops.
///
/// A loss or gradient that is not finite stops it, and p goes back to where it was before the move
/// that spoiled it (memory "previous").
class FirstOrder : public Optimizer {
 public:
  explicit FirstOrder(const OptimizerOptions& options) : options_(options) {}
  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override;
  void objective_changed(OptimizerMemory&) const override {}  // remembers no value and no gradient

 protected:
  /// Moves p against the (clipped) gradient, which it may overwrite.
  virtual void step(Tensor& p, Tensor& gradient, double rate, OptimizerMemory& memory) const = 0;

  const OptimizerOptions options_;
};

/// Scales the gradient so that its Euclidean norm is at most `limit`.
void clip(Tensor& gradient, double limit);

/// The tensor of that name, made of `size` zeros the first time.
Tensor& remembered(OptimizerMemory& memory, const std::string& name, std::int64_t size);

}  // namespace pinn
