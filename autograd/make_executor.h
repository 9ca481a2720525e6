#pragma once
#include <memory>

#include "autograd/core/device.h"
#include "autograd/cuda/descent.h"
#include "autograd/cuda/executor.h"
#include "autograd/program/executor.h"

namespace pinn {

/// Runs a program on a device. Errors: DeviceError when there is no such device.
std::unique_ptr<Executor> make_executor(Program program, Device device,
                                        Products products = Products::exact);

}  // namespace pinn
