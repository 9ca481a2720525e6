#pragma once
#include "autograd/tape/tensor.h"

/// What a change in place means for the tape and for tangents (in_place.cpp says what changes).
namespace pinn {

/// t, the elements of which have become those of `made`, goes on from the place of `made` on the
/// tape; so do, where t is a view, what it is a view of, and all views of that. Who used them
/// before stays with the place they had then. A grad() that t retains is that of its new value.
void take_place_of(const Tensor& made, const Tensor& t);

/// Gives t, the elements of which have changed, this tangent, and likewise all that share them.
/// Errors: EngineError where somebody sees them who cannot know.
void change_tangent(const Tensor& t, const Tensor& tangent);

/// Slots that keep `root` or a view of it cannot be read any more once it has changed. Those that
/// `from` leads to let go of it: they would otherwise keep alive what keeps them, through the place
/// that it is about to take.
void let_go_of_changed(const NodePtr& from, const TensorBody& root);

}  // namespace pinn
