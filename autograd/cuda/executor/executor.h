#pragma once
#include <memory>
#include <optional>

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
  /// Those of points begin ... end - 1 alone, which are summed in pieces of so many, but for the
  /// last; what becomes of all sums is then for finish.
  virtual void set_rows(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                        std::size_t piece) = 0;
  /// Begins prologue and body at all those points, and the epilogue, unless they are in pieces.
  virtual void start(std::span<const std::span<const double>> fixed) = 0;
  /// Waits for what was started: `sums`, Program::sums numbers of a piece, or as finish leaves
  /// them.
  virtual void wait(std::span<double> sums, std::size_t piece = 0) = 0;

  // For the optimizer on the device: fixed memory and the sums there, for as long as this
  // lives, and a step from what stands in fixed memory (prepare puts it there). It is only begun;
  // all but the first can be captured.
  virtual double* fixed() const = 0;
  virtual const double* sums() const = 0;
  virtual void begin() const = 0;

 protected:
  StepText text_;
};

/// Errors: EngineError for a path that the program cannot take (step_text); DeviceError when memory
/// does not suffice.
std::unique_ptr<GpuExecutor> make_executor(Program program, Gpu& gpu,
                                           const ExecutorOptions& options = {});

}  // namespace pinn::cuda
