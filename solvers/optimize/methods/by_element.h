#pragma once
#include "solvers/optimize/methods/first_order.h"

namespace pinn {

/// The numbers of move k = 0, 1, ... of a stage.
using MoveRule = DescentMove (*)(const OptimizerOptions& options, long move);

/// Adam's, with decoupled weight decay.
DescentMove adam_numbers(const OptimizerOptions& options, long move);

/// Adam and gradient descent: every parameter moves by its own numbers, wherever they are. What the
/// rule remembers has these names.
class ByElement : public FirstOrder {
 public:
  ByElement(const OptimizerOptions& options, MoveRule rule, std::vector<std::string> names)
      : FirstOrder(options), rule_(rule), names_(std::move(names)) {}
  Moves advance_many(Tensor& p, OptimizerMemory& memory, Objective& objective, long most,
                     double enough) const override;
  void settle(OptimizerMemory& memory, Objective& objective) const override;

 private:
  void step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory,
            ThreadPool* threads) const override;
  std::map<std::string, Shape> remembers(std::int64_t parameters) const override;
  void put(Descent& there, const Tensor& p, const OptimizerMemory& memory) const;

  const MoveRule rule_;
  const std::vector<std::string> names_;
};

}  // namespace pinn
