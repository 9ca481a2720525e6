#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/methods/first_order.h"
#include "solvers/optimize/schedule.h"

namespace pinn {

DescentMove adam_numbers(const OptimizerOptions& options, long move) {
  const double rate = scheduled_rate(options, move), t = double(move + 1);
  DescentMove numbers{.rule = DescentMove::adam};
  numbers.beta1 = options.beta1;
  numbers.beta2 = options.beta2;
  numbers.epsilon = options.epsilon;
  numbers.rate = rate / (1 - std::pow(options.beta1, t));
  numbers.root = std::sqrt(1 - std::pow(options.beta2, t));
  numbers.keep = 1 - rate * options.weight_decay;
  return numbers;
}

namespace {

std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options, const TrainedSize&) {
  return std::make_unique<ByElement>(options, adam_numbers,
                                     std::vector<std::string>{"first", "second"});
}

std::unique_ptr<Optimizer> make_plain(const OptimizerOptions& options, const TrainedSize& size) {
  if (options.weight_decay != 0)
    throw ConfigError(
        {fmt::format("weight_decay = {} is not possible with adam", options.weight_decay),
         "optimizer options", "use adamw or sgd, or leave weight_decay out"});
  return make_adam(options, size);
}

OptimizerNeeds needs_of_adam(const OptimizerOptions&, const TrainedSize& size) {
  return {3 * double(size.parameters), 0, 12 * double(size.parameters)};
}

}  // namespace

const OptimizerKind kinds::adam = {"adam", make_plain, needs_of_adam, "beta1 beta2 epsilon",
                                   true,   nullptr};
const OptimizerKind kinds::adamw = {
    "adamw", make_adam, needs_of_adam, "beta1 beta2 epsilon weight_decay", true, nullptr};

}  // namespace pinn
