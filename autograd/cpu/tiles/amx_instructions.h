#pragma once
#include <span>
#include <vector>

#include "autograd/core/aligned.h"
#include "autograd/cpu/tiles/amx.h"
#include "autograd/program/executor.h"

namespace pinn::cpu {

/// Which products of a program run on the tile unit, with their weights.
class AmxInstructions {
 public:
  /// None of them unless `products`, the number type and the processor allow it.
  AmxInstructions(const Program& program, Products products);

  bool on() const { return on_; }
  bool runs(const Instruction& i) const;
  /// True if products with the weights of this position run on the tile unit.
  bool has(std::size_t weights) const { return on_ && at_[weights] != nowhere; }
  /// Splits the weights, which stand in `fixed`.
  void prepare(std::span<const double> fixed);
  /// How many numbers of scratch it takes.
  std::size_t scratch(const Instruction& i) const;
  /// Runs an instruction on a block of points: lanes from `arena` on. A contraction adds to
  /// `partial`.
  void run(const Instruction& i, float* arena, std::size_t points, const float* bias,
           float* partial, float* scratch) const;

 private:
  static constexpr std::size_t nowhere = std::size_t(-1);

  const Program& program_;
  const bool on_;
  std::vector<std::size_t> at_;  ///< in packed_, of each Weights
  Aligned<std::uint16_t> packed_;
};

}  // namespace pinn::cpu
