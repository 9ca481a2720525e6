#pragma once
#include "autograd/tape/tensor.h"

/// Effect of a change in place on the tape and on tangents (in_place.cpp says what changes).
namespace pinn {

/// Errors: EngineError where t must not change in place, or one element stands for several; `what`
/// names the change.
void must_be_free_to_change(const Tensor& t, const char* what);

/// t, the elements of which a function of its own has changed into `made`, goes on with the history
/// and the tangent of `made`. Errors: EngineError where a tensor shares them that cannot know.
void change_place(const Tensor& t, const Tensor& made, const char* what);

/// t, the elements of which have become those of `made`, goes on from the place of `made` on the
/// tape; so do, where t is a view, what it is a view of, and all views of that. What used them
/// before stays with the place they had then. A grad() that t retains is that of its new value.
void take_place_of(const Tensor& made, const Tensor& t);

/// Gives t, the elements of which have changed, this tangent, and likewise all that share them.
/// Errors: EngineError where a tensor shares them that cannot know.
void change_tangent(const Tensor& t, const Tensor& tangent);

/// Slots that keep `root` or a view of it cannot be read any more once it has changed. Those that
/// `from` leads to let go of it: they would otherwise keep alive what keeps them, through the place
/// that it is about to take.
void let_go_of_changed(const NodePtr& from, const TensorBody& root);

// Linear maps between a tensor and a view of it, whichever way the view was made: what histories
// and tangents of the two are made of when one of them changes in place.

/// Position of a view's elements among those of its root.
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
