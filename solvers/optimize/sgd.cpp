#include "solvers/optimize/first_order.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

struct Sgd : FirstOrder {
  using FirstOrder::FirstOrder;

  // A velocity of zeros gives b = g at the first move, as the docstring asks.
  void step(Tensor& p, Tensor& gradient, double rate, OptimizerMemory& memory) const override {
    ArrayMap b = array(remembered(memory, "velocity", p.numel()));
    ArrayMap x = array(p);
    b = options_.momentum * b + array(gradient) + options_.weight_decay * x;
    x -= rate * b;
  }
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const OptimizerOptions& options) {
  return std::make_unique<Sgd>(options);
}

}  // namespace pinn
