#include "autograd/make_executor.h"

#include "autograd/core/warning.h"
#include "autograd/cpu/executor.h"

namespace pinn {

std::unique_ptr<Executor> make_executor(Program program, Device device, Products products) {
  if (device.is_cpu()) return cpu::make_executor(std::move(program), products);
  const std::string why = cuda::refusal(program);
  if (why.empty())
    return cuda::make_executor(std::move(program), cuda::gpu(device), {.products = products});
  warn("a GPU does not do " + why + " yet: such a step runs on the CPU");
  return cpu::make_executor(std::move(program), products);
}

}  // namespace pinn
