#include "autograd/compile.h"

#include "autograd/cpu/executor/fixed_memory.h"
#include "autograd/program/executor.h"

namespace pinn {

std::vector<double> fixed_memory(const Program& program,
                                 std::span<const std::span<const double>> inputs) {
  std::vector<double> numbers(std::size_t(program.fixed_size));
  for (const auto& [at, number] : program.constants) numbers[std::size_t(at)] = number;
  put_fixed_inputs(program, inputs, numbers.data());
  cpu::run_fixed(program, program.prologue, numbers, {});
  return numbers;
}

}  // namespace pinn
