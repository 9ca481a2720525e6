#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "autograd/cuda/executor/meeting.h"
#include "autograd/cuda/gpu.h"
#include "autograd/cuda/text/step_text.h"
#include "autograd/program/executor.h"

namespace pinn::cuda {

struct ExecutorOptions {
  std::optional<Path> path = {};  ///< how it runs; the program and the device choose if not given
  std::size_t block = 0;          ///< points of a wide block; 0: as many as the arena may take
  int tile = 0;                   ///< points of a tile, as step_text takes them
  Products products = Products::exact;  ///< of wide blocks; tiles multiply exactly
};

/// How the sums over points come about piece by piece, and rank by rank, in an order that does not
/// depend on who makes them: arrays of Program::sums numbers in places that are counted from 0,
/// where all stand in the end.
struct SumTree {
  struct Act {
    enum Kind : unsigned char { clear, points, add } kind;
    std::size_t into;             ///< place
    std::size_t from, count = 0;  ///< add: another place; points: the first one, and how many
    bool operator==(const Act&) const = default;
  };
  std::size_t places = 1;
  std::size_t piece = 0;           ///< points that are summed at once, at most
  std::size_t begin = 0, end = 0;  ///< points of this rank
  std::vector<Act> own, rest;      ///< of this rank; of all, when what ranks made has met
  std::vector<std::size_t> met;    ///< the first place of each rank, and the end; empty: none meet
  bool operator==(const SumTree&) const = default;
};

/// Runs a program on a GPU: the same as cpu::make_executor, but for the order in which numbers are
/// added up. Results have the same bits from run to run.
///
/// As an Executor it works point set by point set, and returns when the numbers are there. For
/// training, points can be put on the device once: then a step is one captured graph, and the host
/// waits only where it asks for the sums.
class GpuExecutor : public Executor {
 public:
  const StepText& text() const { return text_; }

  /// Puts the row inputs there, [points, columns] each in the order of Program::rows. Programs with
  /// row outputs cannot do this.
  virtual void set_rows(std::span<const RowArray> rows, std::size_t points) = 0;
  /// The same for sums along a tree, of this rank's points alone; where ranks meet, at `meeting`.
  virtual void set_rows(std::span<const RowArray> rows, std::shared_ptr<const SumTree> tree,
                        std::shared_ptr<Meeting> meeting) = 0;
  /// Begins prologue, body at all those points, and epilogue.
  virtual void start(std::span<const std::span<const double>> fixed) = 0;
  /// Waits for what was started; `sums` as finish leaves them.
  virtual void wait(std::span<double> sums) = 0;

  // For the optimizer on the device: fixed memory and the sums there, for as long as this
  // lives, and a step from what stands in fixed memory (prepare puts it there). It is only begun,
  // and all but the first can be captured, unless ranks meet on the host.
  virtual double* fixed() const = 0;
  virtual const double* sums() const = 0;
  virtual void begin() const = 0;
  virtual bool meets() const = 0;  ///< other ranks, in a step
  virtual bool can_be_captured() const = 0;

 protected:
  StepText text_;
};

/// Errors: EngineError for a path that the program cannot take (step_text); DeviceError when memory
/// does not suffice.
std::unique_ptr<GpuExecutor> make_executor(Program program, Gpu& gpu,
                                           const ExecutorOptions& options = {});

}  // namespace pinn::cuda
