#include "autograd/core/error.h"
#include "autograd/cuda/driver/driver.h"

/// Stand-in for the driver where the program is built without CUDA.
namespace pinn::cuda {

std::shared_ptr<Driver> make_driver() {
  throw DeviceError({"this program was built without CUDA, so it cannot use a GPU", "run.device",
                     "take device = \"cpu\", or build where nvcc is (CUDACXX=/path/to/nvcc cmake "
                     "-DPINN_CUDA=ON ...)"});
}

}  // namespace pinn::cuda
