#pragma once
#include <map>

#include "autograd/taylor/jet.h"
#include "solvers/problem/problem.h"
#include "solvers/residual/model.h"
#include "solvers/residual/points.h"

namespace pinn {

/// A block of points as tensors, and what of a formula does not change while they stay: computed
/// once, then kept.
struct Block {
  Tensor x;                       ///< [points, coordinates]
  Tensor normals;                 ///< [points, coordinates], or undefined
  Tensor columns;                 ///< [points, columns], or undefined
  Tensor weights;                 ///< [points, residuals] or [points, 1], or undefined
  int layers_per_checkpoint = 0;  ///< of the network that is evaluated here; 0: all is saved
  std::vector<Tensor> fixed;      ///< Model::fixed, where the model has any
  Tensor constants;               ///< [Model::constants], or undefined: numbers as they are
  int frozen = -1;                ///< a coordinate that is one number here, or -1
  Tensor directions;              ///< [directions, coordinates], or undefined; and the coordinates
  std::vector<int> along;         ///< ... whose channels of the network are derivatives along them

  using Key = std::pair<const Expression*, const JetTable*>;
  std::map<Key, Tensor> kept;  ///< values [points] (table null) and jets
  /// The fixed inputs of networks, by their numbers.
  std::map<std::pair<const JetTable*, std::size_t>, Jet> embedded;
  std::map<MultiIndex, JetTablePtr> tables;  ///< of derivatives of composites

  std::int64_t points() const { return x.shape()[0]; }
  /// True if a node, evaluated after its inputs, is made of kept ones alone, and of no field or
  /// unknown: then it may be kept as well. (Having no history is not enough: comparisons have
  /// none.)
  bool may_keep(const Expression& e, const JetTable* table) const;
  /// The weights of residual k, [points]; undefined where all are 1.
  Tensor weights_of(std::size_t k) const;
};

/// Model::fixed as tensors.
std::vector<Tensor> fixed_tensors(const Model& model, DType dtype, Device device = {});

/// The points of a block where the window of its model begins, for the model before it.
Block block_before(const Block& block, const Model& model);

/// Points [begin, end) of a set as a block in `dtype`, on a device.
Block make_block(const PointSet& set, std::size_t begin, std::size_t end, DType dtype,
                 Device device = {});

}  // namespace pinn
