#pragma once
#include <set>
#include <vector>

#include "autograd/program/program.h"

namespace pinn::cuda {

/// The lane base + f stride of each thread f.
struct Place {
  int base = 0, stride = 0;
  auto operator<=>(const Place&) const = default;
};

/// Instructions that run one after another without waiting for other threads.
struct Phase {
  enum Kind : unsigned char { pointwise, product, contract, sum, scale };
  Kind kind = pointwise;
  std::vector<Instruction> instructions;  ///< one, unless pointwise
  /// Threads per point of a pointwise phase, each on its share of every instruction.
  int threads = 1;
  std::vector<bool> live;  ///< lanes that are read after it
};

/// Cuts the body of a program into phases: as few as can be so that no thread of a pointwise phase
/// reads or overwrites what another thread of it has written or reads. The bias of a product is an
/// instruction of its own, so that it joins what follows; so is the scale of what is packed, which
/// is that of a wide block or of a tile.
std::vector<Phase> phases_of(const Program& program);

/// True if a pack has to find the scale of its block.
bool finds_scale(const Instruction& pack);

/// Memory that phases work on, by number: lanes, behind them sums.
struct Uses {
  std::set<int> reads, writes;

  /// True if what comes after these has to wait for them.
  bool hold_up(const Uses& later) const;
  void add(const Uses& other);
};
Uses uses_of(const Phase& phase, const Program& program);

}  // namespace pinn::cuda
