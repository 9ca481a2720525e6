#pragma once
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// The numbers of move k = 0, 1, ... of a stage.
using MoveRule = DescentMove (*)(const OptimizerOptions& options, long move);

/// Adam and gradient descent: one evaluation a move, clipping, a schedule, and honest stops.
///
/// A loss or gradient that is not finite stops it, and p goes back to where it was before the move
/// that spoiled it (memory "previous"). `memories` names what the rule remembers.
class FirstOrder : public Optimizer {
 public:
  FirstOrder(const OptimizerOptions& options, MoveRule rule, std::vector<std::string> memories)
      : options_(options), rule_(rule), memories_(std::move(memories)) {}
  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override;
  Moves advance_many(Tensor& p, OptimizerMemory& memory, Objective& objective, long most,
                     double enough) const override;
  void settle(OptimizerMemory& memory, Objective& objective) const override;
  void objective_changed(OptimizerMemory&) const override {}  // remembers no value and no gradient
  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override;

 private:
  void step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory) const;
  void put(Descent& there, const Tensor& p, const OptimizerMemory& memory) const;

  const OptimizerOptions options_;
  const MoveRule rule_;
  const std::vector<std::string> memories_;
};

/// Scales the gradient so that its Euclidean norm is at most `limit`.
void clip(Tensor& gradient, double limit);

/// The tensor of that name, made of `size` zeros the first time.
Tensor& remembered(OptimizerMemory& memory, const std::string& name, std::int64_t size);

}  // namespace pinn
