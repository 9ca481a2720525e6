#pragma once
#include <functional>
#include <memory>
#include <string>

#include "autograd/core/ranks.h"
#include "autograd/cuda/gpu.h"
#include "autograd/program/resident.h"

namespace pinn::cuda {

/// By NCCL. While it lives, the GPU is waited for with the patience that ranks have, and where that
/// ends, what was begun ends, too. Returns when all GPUs are connected.
///
///   errors   DeviceError from NCCL; RankError
std::unique_ptr<AllGather> gather_on_gpus(Gpu& gpu, Ranks& ranks);
/// By the ranks' own gather, `why` not otherwise.
std::unique_ptr<AllGather> gather_on_host(Gpu& gpu, Ranks& ranks, const std::string& why = "");
/// The first where no ranks share a GPU and NCCL, of one version, connects them; the other one
/// where not. All ranks get the same.
std::unique_ptr<AllGather> gather(Gpu& gpu, Ranks& ranks);
/// That, from the first time on that ranks have numbers for each other, and `tell` hears where it
/// is.
std::unique_ptr<AllGather> gather_when_needed(Gpu& gpu, Ranks& ranks,
                                              std::function<void(const std::string&)> tell);

}  // namespace pinn::cuda
