#include "autograd/make_executor.h"

#include "autograd/cpu/executor.h"

namespace pinn {

std::unique_ptr<Executor> make_executor(Program program, Device device, Products products) {
  if (device.is_cpu()) return cpu::make_executor(std::move(program), products);
  return cuda::make_executor(std::move(program), cuda::gpu(device), {.products = products});
}

}  // namespace pinn
