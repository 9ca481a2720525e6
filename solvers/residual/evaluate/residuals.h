#pragma once
#include <string>

#include "solvers/residual/evaluate/block.h"
#include "solvers/residual/evaluate/forms.h"
#include "solvers/residual/model.h"

namespace pinn {

/// A number of a requirement that must vanish, by name, with its static weight.
struct LossTerm {
  std::string name;
  double weight = 1;
};

/// The fields that a periodic condition is about, and those that they agree with at the far end.
std::vector<std::pair<int, int>> periodic_fields(const Requirement& requirement,
                                                 const Problem& problem);

/// One term per residual; a periodic condition has one per field and order of derivative.
std::vector<LossTerm> terms_of(const Requirement& requirement, const Problem& problem);

/// The points of a requirement, and for a periodic condition the same points at the far end.
struct BlockPair {
  Block near;
  Block far;
};

/// The residuals on a block, [points] each, in the order of terms_of; data divided by sigma.
std::vector<Tensor> residuals(const Model& model, const Requirement& requirement,
                              Derivatives derivatives, const ChannelPlan& plan, BlockPair& blocks,
                              const std::vector<Tensor>& parameters);

/// The points of a requirement as tensors, with a periodic condition's at the upper end of its
/// coordinate.
BlockPair with_far_end(Block near, const Requirement& requirement, const Problem& problem);

}  // namespace pinn
