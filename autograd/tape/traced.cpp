#include "autograd/tape/traced.h"

#include "autograd/core/error.h"

namespace pinn {
namespace {

Trace& open_trace() {
  Trace* trace = Trace::current();
  if (!trace)
    throw InternalError({"a traced tensor was used after its trace ended", "",
                         "keep the Trace alive while its tensors are used"});
  return *trace;
}

}  // namespace

Value traced(Primitive op, std::initializer_list<const Tensor*> inputs, const Shape& shape,
             DType dtype) {
  Trace& trace = open_trace();
  Value v;
  v.op = op;
  v.shape = shape;
  v.dtype = dtype;
  for (const Tensor* t : inputs) v.inputs.push_back(t->defined() ? trace.value_of(*t) : -1);
  return v;
}

Tensor append(Value v) { return open_trace().append(std::move(v)); }

}  // namespace pinn
