#pragma once
#include "autograd/tape/trace.h"

namespace pinn {

/// Whether an op on these tensors (undefined ones do not count) is appended to a trace.
inline bool any_traced(std::initializer_list<const Tensor*> inputs) {
  for (const Tensor* t : inputs)
    if (is_traced(*t)) return true;
  return false;
}

/// A value for an op on these tensors; what else the op needs is for the caller to add. Errors:
/// InternalError when no trace is open.
Value traced(Primitive op, std::initializer_list<const Tensor*> inputs, const Shape& shape,
             DType dtype);
/// Appends it to the open trace.
Tensor append(Value v);

}  // namespace pinn
