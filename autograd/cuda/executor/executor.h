#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/core/ranks.h"
#include "autograd/cuda/gpu.h"
#include "autograd/cuda/text/step_text.h"
#include "autograd/program/executor.h"
#include "autograd/program/resident.h"

namespace pinn::cuda {

struct ExecutorOptions {
  std::optional<Path> path = {};  ///< how it runs; the program and the device choose if not given
  std::size_t block = 0;          ///< points of a wide block; 0: as many as the arena may take
  int tile = 0;                   ///< points of a tile, as step_text takes them
  Products products = Products::exact;  ///< of wide blocks; tiles multiply exactly
};

/// Runs a program on a GPU: the same as cpu::make_executor, but for the order in which numbers are
/// added up. Results have the same bits from run to run.
///
/// As an Executor it works point set by point set, and returns when the numbers are there. For
/// training, points can be put on the device once: then a step is one captured graph, and the host
/// waits only where it asks for the sums.
class GpuExecutor : public Executor, public ResidentStep {
 public:
  const StepText& text() const { return text_; }
  ResidentStep* resident() override { return this; }
  std::unique_ptr<Descent> descent(const std::vector<DescentPart>& parts,
                                   std::size_t parameters) override;

  // For the optimizer on the device: fixed memory and the sums there, for as long as this
  // lives, and a step from what stands in fixed memory (prepare puts it there). It is only begun,
  // and all but the first can be captured, unless ranks gather on the host.
  virtual double* fixed() const = 0;
  virtual const double* sums() const = 0;
  virtual void begin() const = 0;
  virtual bool gathers() const = 0;  ///< from other ranks, in a step
  virtual bool can_be_captured() const = 0;

 protected:
  explicit GpuExecutor(Gpu& gpu) : gpu_(gpu) {}

  Gpu& gpu_;
  StepText text_;
};

/// Moves that a descent makes at once, at most.
inline constexpr std::size_t most_moves = 64;

/// Errors: EngineError for a path that the program cannot take (step_text); DeviceError when memory
/// does not suffice.
std::unique_ptr<GpuExecutor> make_executor(Program program, Gpu& gpu,
                                           const ExecutorOptions& options = {});

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
