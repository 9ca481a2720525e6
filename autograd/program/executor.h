#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "autograd/core/numbers.h"
#include "autograd/program/program.h"
#include "autograd/program/resident.h"

namespace pinn {

/// Copies the fixed inputs, in the order of Program::fixed, to their places in fixed memory of
/// Program::fixed_size numbers; sets `changed`, one per input, where other bits stood there.
/// Errors: InternalError for one of another length.
void put_fixed_inputs(const Program& program, std::span<const std::span<const double>> inputs,
                      double* fixed, std::span<char> changed = {});

/// Runs a program (program.h).
///
/// prepare() once per step; run() for all points, in pieces that threads may share; finish() when
/// all sums are there. Points of a piece go through the program block by block; a last block that
/// is not full is filled up with copies of its first point, which count for nothing.
class Executor {
 public:
  /// Memory of one thread.
  class Workspace {
   public:
    virtual ~Workspace() = default;
  };

  virtual ~Executor() = default;
  virtual const Program& program() const = 0;
  virtual std::unique_ptr<Workspace> workspace() const = 0;

  /// Takes the fixed inputs, in the order of Program::fixed; runs the prologue; packs the weights.
  virtual void prepare(std::span<const std::span<const double>> fixed) = 0;
  /// Runs points begin ... end of the row inputs, in the order of Program::rows. Adds to
  /// `sums`, Program::sums numbers; writes row outputs where `rows_out` has a place for them,
  /// [points, elements] with point 0 first, one per output, null for those that are no rows.
  virtual void run(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                   Workspace& workspace, std::span<double> sums,
                   std::span<double* const> rows_out = {}) const = 0;
  /// Runs points begin ... end of a program without sums, not more than Program::block, and says
  /// where each element of its outputs stands, one output after the other: a lane of these points,
  /// in the program's number type, until the workspace is used again. A lane has room for whole
  /// vectors. Errors: EngineError where lanes are not of the host.
  virtual void run_block(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                         Workspace& workspace, std::vector<const void*>& lanes) const = 0;
  /// Runs the epilogue on the sums of all points.
  virtual void finish(std::span<double> sums) = 0;
  /// An output that is no row, after finish.
  virtual void read(std::size_t output, std::span<const double> sums,
                    std::span<double> into) const = 0;

  /// The program as a step whose points stay on its device; null: points stay with the host.
  virtual ResidentStep* resident() { return nullptr; }
};

}  // namespace pinn
