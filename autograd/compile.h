#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/core/parallel.h"
#include "autograd/core/ranks.h"
#include "autograd/graph/passes.h"
#include "autograd/program/executor.h"
#include "autograd/program/plan.h"
#include "autograd/program/program.h"
#include "autograd/program/row_factors.h"
#include "autograd/tape/trace.h"

/// The door to the compiled step: a function is traced (Trace), its graph made smaller (optimized),
/// planned (plan) and run (make_executor). Who comes through it names no device's own parts.

namespace pinn {

/// Runs a program on a device. `block`: points of a block where the program does not say; 0: as
/// many as the device's memory takes. Errors: DeviceError when there is no such device.
std::unique_ptr<Executor> make_executor(Program program, Device device,
                                        Products products = Products::exact, std::size_t block = 0);

/// True if steps there keep their points (Executor::resident).
bool keeps_points(Device device);

/// Exchange of the sums of ranks that keep their points on devices: over the devices where they can
/// and else through the host, settled when it is first needed; `tell` hears which.
std::shared_ptr<AllGather> make_all_gather(Device device, Ranks& ranks,
                                           std::function<void(const std::string&)> tell);
/// The same, through the host.
std::shared_ptr<AllGather> all_gather_on_host(Device device, Ranks& ranks);

/// Algebra of rows of a Jacobian that come as factors (row_factors.h).
template <class T> std::unique_ptr<RowWriter<T>> make_row_writer();
/// `layouts`: the factors of one row of each kind that will come; their numbers are not read.
std::unique_ptr<Gram> make_gram(DType dtype, std::span<const std::vector<RowFactor>> layouts);
/// `columns`: of the matrix at each offset, for what comes as elements.
std::unique_ptr<KroneckerSums> make_kronecker_sums(std::map<std::size_t, std::size_t> columns);

/// Floating-point operations per second (in 1e9) that no product on the threads of the pool can
/// exceed; measured for a few milliseconds because it moves with the clock.
double peak_flops(DType dtype, ThreadPool& pool);
/// True if the CPU has a unit that multiplies tiles of bf16, and lets this process use it
/// (Products::bf16x3).
bool multiplies_tiles();

/// Fixed memory of a program with its constants, the fixed inputs in the order of Program::fixed,
/// and what the prologue makes of these: all that the points of a step read of it.
std::vector<double> fixed_memory(const Program& program,
                                 std::span<const std::span<const double>> inputs);

}  // namespace pinn
