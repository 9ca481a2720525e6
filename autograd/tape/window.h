#pragma once
#include "autograd/tape/tensor.h"

/// Linear maps between a tensor and a view of it, whichever way the view was made: what histories
/// and tangents of the two are made of when one of them changes in place (in_place.cpp).
namespace pinn {

/// Where the elements of a view lie among those of its root.
struct Window {
  Shape whole;
  Sizes whole_strides{};
  Shape part;
  Sizes part_strides{};
  std::int64_t offset = 0;  ///< of the part's first element from that of the whole

  /// The same for each of `size` members (batch.h). Errors: EngineError for four axes.
  Window of_members(std::int64_t size) const;
};
Window window_of(const TensorBody& view);

/// The part of a tensor of the whole's shape; recorded, as the others are.
Tensor taken(const Tensor& whole, const Window& window);
/// The adjoint: zeros with the part in their place; what the view repeats is summed.
Tensor spread(const Tensor& part, const Window& window);
/// The whole with zeros in place of the part.
Tensor cleared(const Tensor& whole, const Window& window);

}  // namespace pinn
