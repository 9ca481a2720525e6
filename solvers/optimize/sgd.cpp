#include "solvers/optimize/first_order.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/schedule.h"

namespace pinn {
namespace {

DescentMove sgd_numbers(const OptimizerOptions& options, long move) {
  DescentMove numbers{.rule = DescentMove::sgd};
  numbers.rate = scheduled_rate(options, move);
  numbers.momentum = options.momentum;
  numbers.decay = options.weight_decay;
  return numbers;
}

// A velocity of zeros gives b = g at the first move, as the docstring asks.
std::unique_ptr<Optimizer> make(const OptimizerOptions& options) {
  return std::make_unique<FirstOrder>(options, sgd_numbers, std::vector<std::string>{"velocity"});
}

double remembers(const OptimizerOptions&, double parameters) { return 2 * parameters; }

}  // namespace

const OptimizerKind kinds::sgd = {"sgd", make, remembers, no_more, true, nullptr};

}  // namespace pinn
