#pragma once
#include <memory>

#include "autograd/core/numbers.h"
#include "autograd/cpu/block/gram.h"
#include "autograd/cpu/block/kronecker_sums.h"
#include "autograd/cpu/block/row_factors.h"
#include "autograd/cpu/executor/executor.h"
#include "autograd/cpu/tiles/amx.h"
#include "autograd/cpu/vectors/fma_peak.h"
#include "autograd/cuda/executor/descent.h"
#include "autograd/cuda/executor/executor.h"
#include "autograd/graph/passes.h"
#include "autograd/program/executor.h"
#include "autograd/program/plan.h"
#include "autograd/tape/trace.h"

/// The door to the compiled step: a function is traced (Trace), its graph made smaller (optimized),
/// planned (plan) and run (make_executor); fma_peak measures the CPU's limit, which amx_available
/// lifts.
namespace pinn {

/// Runs a program on a device. Errors: DeviceError when there is no such device.
std::unique_ptr<Executor> make_executor(Program program, Device device,
                                        Products products = Products::exact);

}  // namespace pinn
