#pragma once
#include "autograd/core/stats.h"
#include "autograd/tape/node.h"

namespace pinn {

/// Called where a node computes the gradient of its input i: what tests of pruning count.
inline void note_formula(const Node& node, int i) {
  if (stats().recording) ++stats().formula_runs[{node.name(), i}];
}

}  // namespace pinn
