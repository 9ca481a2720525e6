#pragma once
#include <span>
#include <string>

#include "autograd/choose_device.h"
#include "solvers/residual/loss/options.h"
#include "solvers/state/run.h"

namespace pinn {

// One run out of the work of several ranks: all go the same way, and find out if they do not.

/// "4 threads", "2 ranks x 4 threads", "3 ranks x 2 to 4 threads on 2 machines"
std::string group_text(const ProcessGroup& group, int own_threads);

/// "cuda:0 (NVIDIA H200, 139.8 GiB)", of several ranks
/// "2 GPUs (NVIDIA H200, compute capability 9.0)"; empty for the CPU.
std::string gpus_text(Ranks& ranks, const ChosenDevice& device);
/// How many ranks of lower numbers its machine has.
int rank_on_machine(const Ranks& ranks);

/// Every rank is to be of the same program, compute the same bits on devices of one kind, and have
/// read the same problem, of which the same is asked.
///
///   errors   ConfigError that names a rank that differs and what in
void require_one_run(Ranks& ranks, const Run& run, const std::string& asked,
                     const std::string& device_kind);

/// The first reason that a rank gives to do something, or ""; then all have the same.
std::string agreed(Ranks& ranks, const std::string& reason);
/// The same without a message: a reason goes around with what is gathered next, so it is heard one
/// step later.
std::string heard(Ranks& ranks, const std::string& reason);

/// Requires that all ranks have the same parameters after a step. Errors: InternalError where not.
void require_same(Ranks& ranks, std::span<const double> parameters, std::int64_t step);

}  // namespace pinn
