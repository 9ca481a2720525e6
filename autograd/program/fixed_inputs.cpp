#include "autograd/program/executor.h"

#include <algorithm>
#include <cstring>

#include "autograd/core/error.h"

namespace pinn {

void put_fixed_inputs(const Program& program, std::span<const std::span<const double>> inputs,
                      double* fixed, std::span<char> changed) {
  for (std::size_t k = 0; k < program.fixed.size(); ++k) {
    const FixedInput& input = program.fixed[k];
    if (int(inputs[k].size()) != input.count)
      throw InternalError({"the fixed input '" + input.name + "' of a step has " +
                               std::to_string(inputs[k].size()) + " numbers instead of " +
                               std::to_string(input.count),
                           "", "report this as a bug"});
    double* const to = fixed + input.at;
    if (!changed.empty())
      changed[k] = std::memcmp(to, inputs[k].data(), inputs[k].size_bytes()) != 0;
    std::copy(inputs[k].begin(), inputs[k].end(), to);
  }
}

}  // namespace pinn
