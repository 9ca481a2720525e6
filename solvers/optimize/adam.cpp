#include <cmath>

#include "solvers/optimize/first_order.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/schedule.h"

namespace pinn {
namespace {

DescentMove adam_numbers(const OptimizerOptions& options, long move) {
  const double rate = scheduled_rate(options, move), t = double(move + 1);
  DescentMove numbers{.rule = DescentMove::adam};
  numbers.beta1 = options.beta1;
  numbers.beta2 = options.beta2;
  numbers.epsilon = options.epsilon;
  numbers.rate = rate / (1 - std::pow(options.beta1, t));
  numbers.root = std::sqrt(1 - std::pow(options.beta2, t));
  if (options.kind == "adamw") numbers.keep = 1 - rate * options.weight_decay;
  return numbers;
}

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options) {
  return std::make_unique<FirstOrder>(options, adam_numbers,
                                      std::vector<std::string>{"first", "second"});
}

}  // namespace pinn
