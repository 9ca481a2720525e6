#include <cmath>

#include "solvers/optimize/first_order.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

struct Adam : FirstOrder {
  using FirstOrder::FirstOrder;

  void step(Tensor& p, Tensor& gradient, double rate, OptimizerMemory& memory) const override {
    const double b1 = options_.beta1, b2 = options_.beta2, t = double(memory.moves + 1);
    ArrayMap m = array(remembered(memory, "first", p.numel()));
    ArrayMap v = array(remembered(memory, "second", p.numel()));
    const ArrayMap g = array(gradient);
    ArrayMap x = array(p);
    m = b1 * m + (1 - b1) * g;
    v = b2 * v + (1 - b2) * g * g;
    if (options_.kind == "adamw") x *= 1 - rate * options_.weight_decay;
    const double root = std::sqrt(1 - std::pow(b2, t));
    x -= rate / (1 - std::pow(b1, t)) * (m / (v.sqrt() / root + options_.epsilon));
  }
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options) {
  return std::make_unique<Adam>(options);
}

}  // namespace pinn
