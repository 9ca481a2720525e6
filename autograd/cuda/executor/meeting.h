#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "autograd/core/ranks.h"
#include "autograd/cuda/gpu.h"

namespace pinn::cuda {

/// Exchange of numbers among ranks that have a GPU each. All ranks begin the same, in the same
/// order, and from the thread that made this.
class Meeting {
 public:
  virtual ~Meeting() = default;
  /// Gives all GPUs the numbers of each, in the order of the compute stream: that of rank r comes
  /// with numbers first[r] ... first[r + 1] - 1, which arrive bit for bit.
  virtual void begin(double* numbers, std::span<const std::size_t> first) = 0;
  /// True if the host does not wait in `begin`.
  virtual bool can_be_captured() const = 0;
  /// "by NCCL 2.27.3", "on the host: ranks share a GPU"
  virtual std::string text() const = 0;
};

/// By NCCL. While it lives, the GPU is waited for with the patience that ranks have, and where that
/// ends, what was begun ends, too. Returns when all GPUs are connected.
///
///   errors   DeviceError from NCCL; RankError
std::unique_ptr<Meeting> meeting_on_gpus(Gpu& gpu, Ranks& ranks);
/// By the ranks' own gather, `why` not otherwise.
std::unique_ptr<Meeting> meeting_on_host(Gpu& gpu, Ranks& ranks, const std::string& why = "");
/// The first where no ranks share a GPU and NCCL, of one version, connects them; the other one
/// where not. All ranks get the same.
std::unique_ptr<Meeting> meeting(Gpu& gpu, Ranks& ranks);
/// That, from the first time on that ranks have numbers for each other, and `tell` hears where it
/// is.
std::unique_ptr<Meeting> meeting_when_needed(Gpu& gpu, Ranks& ranks,
                                             std::function<void(const std::string&)> tell);

}  // namespace pinn::cuda
