#include "autograd/program/fixed_inputs.h"

#include <algorithm>

#include "autograd/core/error.h"

namespace pinn {

void put_fixed_inputs(const Program& program, std::span<const std::span<const double>> inputs,
                      double* fixed) {
  for (std::size_t k = 0; k < program.fixed.size(); ++k) {
    const FixedInput& input = program.fixed[k];
    if (int(inputs[k].size()) != input.count)
      throw InternalError({"the fixed input '" + input.name + "' of a step has " +
                               std::to_string(inputs[k].size()) + " numbers instead of " +
                               std::to_string(input.count),
                           "", "report this as a bug"});
    std::copy(inputs[k].begin(), inputs[k].end(), fixed + input.at);
  }
}

}  // namespace pinn
