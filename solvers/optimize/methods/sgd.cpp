#include "solvers/optimize/kinds.h"
#include "solvers/optimize/methods/first_order.h"
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
std::unique_ptr<Optimizer> make_sgd(const OptimizerOptions& options, const TrainedSize&) {
  return std::make_unique<ByElement>(options, sgd_numbers, std::vector<std::string>{"velocity"});
}

OptimizerNeeds needs_of_sgd(const OptimizerOptions&, const TrainedSize& size) {
  return {2 * double(size.parameters), 0, 4 * double(size.parameters)};
}

}  // namespace

const OptimizerKind kinds::sgd = {"sgd", make_sgd, needs_of_sgd, "weight_decay momentum",
                                  true,  nullptr};

}  // namespace pinn
