#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
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

std::unique_ptr<Optimizer> make(const OptimizerOptions& options) {
  return std::make_unique<FirstOrder>(options, adam_numbers,
                                      std::vector<std::string>{"first", "second"});
}

std::unique_ptr<Optimizer> make_plain(const OptimizerOptions& options) {
  if (options.weight_decay != 0)
    throw ConfigError(
        {fmt::format("weight_decay = {} is not possible with adam", options.weight_decay),
         "optimizer options", "use adamw or sgd, or leave weight_decay out"});
  return make(options);
}

double remembers(const OptimizerOptions&, double parameters) { return 3 * parameters; }

}  // namespace

const OptimizerKind kinds::adam = {"adam", make_plain, remembers, no_more, true, nullptr};
const OptimizerKind kinds::adamw = {"adamw", make, remembers, no_more, true, nullptr};

}  // namespace pinn
