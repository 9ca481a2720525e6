#pragma once
#include "solvers/optimize/optimizer.h"
#include "solvers/residual/loss.h"

namespace pinn {

/// The loss as an optimizer sees it; remembers its latest value, term by term.
class LossObjective : public Objective {
 public:
  explicit LossObjective(Loss& loss) : loss_(loss) {}
  double value(const Tensor& p) override {
    latest_ = loss_.value(p.data<double>());
    return latest_.total;
  }
  double value_and_gradient(const Tensor& p, Tensor& gradient) override {
    latest_ = loss_.value_and_gradient(p.data<double>(), gradient.data<double>());
    return latest_.total;
  }
  const Loss::Result& latest() const { return latest_; }

 private:
  Loss& loss_;
  Loss::Result latest_;
};

}  // namespace pinn
