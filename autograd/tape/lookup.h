#pragma once
#include <vector>

#include "autograd/ops/point_function.h"
#include "autograd/tape/tensor.h"

namespace pinn {

/// A derivative, order[i] times by input i, of a function that a program knows, element by element;
/// the function itself for {}. Inputs broadcast; one that is a plain number gives way. Its gradient
/// is made of lookups of the next order, so it can be differentiated again.
///
///   errors   ShapeError for another number of inputs; EngineError for inputs that are not
///            floating, or on a GPU
Tensor lookup(const PointFunctionPtr& function, const MultiIndex& order,
              const std::vector<Tensor>& x);

}  // namespace pinn
