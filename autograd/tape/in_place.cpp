#include "autograd/core/error.h"
#include "autograd/cpu/elementwise.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/tangent.h"

namespace pinn {
namespace {

void must_be_free_to_change(const Tensor& t, const char* what) {
  must_be_concrete(t, what);
  const TensorBody& body = *t.body();
  if (body.is_inference && !inference_mode())
    throw EngineError({std::string(what) + ": an inference tensor was changed in place",
                       describe(t), "change a clone(), or do it inside an InferenceMode"});
  if (recording() && body.is_unrecorded_view)
    throw EngineError({std::string(what) +
                           ": a view created in no_grad mode, of a tensor that requires a "
                           "gradient, was changed in place",
                       describe(t), "make the change in a NoGrad scope too, or change a clone()"});
  if (recording() && t.requires_grad() && body.is_view)
    throw EngineError({std::string(what) + ": a view with history was changed in place",
                       describe(t), "put the parts together with concat(), or change a clone()"});
  if (recording() && t.requires_grad())
    throw EngineError(
        {std::string(what) + ": a tensor that requires a gradient was changed in place",
         describe(t), "do it inside a NoGrad scope, or make a new tensor"});
  for (int i = 0; i < t.rank(); ++i)
    if (t.strides()[i] == 0 && t.shape()[i] > 1)
      throw EngineError(
          {std::string(what) + ": one element stands for several in an expanded tensor",
           describe(t), "clone() it first"});
}

/// Gives t, whose elements change, the tangent that rule() says; other handles on the memory could
/// not know.
template <class Rule> void change_tangent(const Tensor& t, const Tensor& x, const Rule& rule) {
  if (!any_tangent({&t, &x})) return;
  if (t.body()->storage.use_count() > 1)
    throw EngineError({"a dual tensor was changed in place while others share its memory",
                       describe(t), "change a clone() instead"});
  const NoTangents of_tangents;
  set_tangent(t, rule());
}

/// The elements of x, row by row, in memory that a change of t does not reach.
Tensor source_for(const Tensor& t, const Tensor& x) {
  const Tensor data = contiguous_data(x);
  return data.storage_id() == t.storage_id() ? data.detach().clone() : data;
}

}  // namespace

void add_in_place(Tensor& t, const Tensor& g) {
  must_be_free_to_change(t, "add_in_place");
  const Tensor data = source_for(t, g);
  if (!(data.shape() == t.shape()) || data.dtype() != t.dtype())
    throw ShapeError({"add_in_place needs equal shapes and dtypes",
                      describe(t) + " and " + describe(g), "reshape or cast the addend"});
  change_tangent(t, g, [&] { return sum_of_defined(tangent_of(t), tangent_of(g)); });
  cpu::add_into(t.dtype(), t.shape(), data.raw(), t.raw(), t.strides());
  ++t.body()->storage->version;
}

void copy_in_place(Tensor& t, const Tensor& x) {
  must_be_free_to_change(t, "copy_in_place");
  const Tensor data = source_for(t, cast(x.detach(), t.dtype()));
  if (!(data.shape() == t.shape()))
    throw ShapeError({"copy_in_place needs equal shapes", describe(t) + " and " + describe(x),
                      "reshape the source"});
  change_tangent(t, x, [&] { return tangent_of(x); });
  cpu::copy_into(t.dtype(), t.shape(), data.raw(), t.raw(), t.strides());
  ++t.body()->storage->version;
}

}  // namespace pinn
