#pragma once
#include <vector>

#include "autograd/program/executor.h"

namespace pinn::cpu {

/// An executor on the CPU, which can also leave rows where they are.
class LaneExecutor : public Executor {
 public:
  /// Runs points begin ... end of a program without sums, not more than Program::block, and says
  /// where each element of its outputs stands, one output after the other: a lane of these points,
  /// in the program's number type, until the workspace is used again. A lane has room for whole
  /// vectors.
  virtual void run_block(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                         Workspace& workspace, std::vector<const void*>& lanes) const = 0;
};

/// Runs a program on the CPU. With Products::bf16x3, large products of a float32 program run on the
/// processor's tile unit (amx.h) if it has one.
std::unique_ptr<LaneExecutor> make_executor(Program program, Products products = Products::exact);

}  // namespace pinn::cpu
