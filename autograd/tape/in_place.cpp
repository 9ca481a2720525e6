#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/kernels.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node_hooks.h"
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
  if (recording() && t.requires_grad() && t.is_leaf())
    throw EngineError({std::string(what) + ": a leaf that requires a gradient was changed in place",
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

/// t, changed in place, goes on from `made`, which was recorded from it. Who used t before stays
/// with the place that t had on the tape; a grad() that t retains is that of its new value.
void go_on_from(const Tensor& made, Tensor& t, const char* what) {
  TensorBody& body = *t.body();
  if (body.storage->viewed)
    throw EngineError({std::string(what) + ": a tensor with history that has views was changed in "
                                           "place, and the views could not know",
                       describe(t), "change a clone(), or make the views afterwards"});
  change_tangent(t, made, [&] { return tangent_of(made); });
  kernels::copy_into(made, t);
  ++body.storage->version;
  if (body.retains_grad) {
    std::erase_if(body.node->hooks().retained,
                  [&](const auto& r) { return r.tensor.lock() == t.shared_body(); });
    made.node()->hooks().retained.push_back({made.output_number(), t.shared_body()});
  }
  body.node = made.node();
  body.output_number = made.output_number();
  body.requires_grad = true;
}

/// Whether the change is one that the tape must know of.
bool is_recorded(const Tensor& t, const Tensor& by) { return needs_recording({&t, &by}); }

void must_fit(const Tensor& made, const Tensor& t, const char* what) {
  must_have_one_dtype(what, t, made);
  if (!(made.shape() == t.shape()))
    throw ShapeError({std::string(what) + ": the result does not fit the tensor",
                      describe(made) + " into " + describe(t), "make a new tensor: x = x + y"});
  if (made.device() != t.device())
    throw EngineError({std::string(what) + ": the result is on another device",
                       describe(made) + " into " + describe(t), "bring t there with to()"});
}

/// t = t op x.
template <class Op> void change(Tensor& t, const Tensor& x, const char* what) {
  must_be_free_to_change(t, what);
  must_be_concrete(x, what);
  const bool slope_reads_t = Op::dy.x && needs_recording({&x});  // as it was, so it is kept
  const Tensor made = apply<Op>(slope_reads_t ? t.clone() : t, x);
  must_fit(made, t, what);
  if (is_recorded(t, x))
    go_on_from(made, t, what);
  else
    copy_in_place(t, made);
  t.body()->is_number = made.is_number();
}

}  // namespace

void sub_in_place(Tensor& t, const Tensor& x) { change<op::Sub>(t, x, "sub_in_place"); }
void mul_in_place(Tensor& t, const Tensor& x) { change<op::Mul>(t, x, "mul_in_place"); }
void div_in_place(Tensor& t, const Tensor& x) { change<op::Div>(t, x, "div_in_place"); }

void add_in_place(Tensor& t, const Tensor& g) {
  // Gradients are summed here, so what needs no memory of its own takes none.
  const bool alike = t.shape() == g.shape() && t.dtype() == g.dtype() && !t.is_number();
  if (!alike || is_recorded(t, g)) return change<op::Add>(t, g, "add_in_place");
  must_be_free_to_change(t, "add_in_place");
  const Tensor data = source_for(t, g);
  change_tangent(t, g, [&] { return sum_of_defined(tangent_of(t), tangent_of(g)); });
  kernels::common_device("add_in_place", {&t, &data});
  kernels::add_into(data, t);
  ++t.body()->storage->version;
}

void copy_in_place(Tensor& t, const Tensor& x) {
  must_be_free_to_change(t, "copy_in_place");
  const Tensor data = source_for(t, cast(x.detach(), t.dtype()));
  if (!(data.shape() == t.shape()))
    throw ShapeError({"copy_in_place needs equal shapes", describe(t) + " and " + describe(x),
                      "reshape the source"});
  change_tangent(t, x, [&] { return tangent_of(x); });
  kernels::common_device("copy_in_place", {&t, &data});
  kernels::copy_into(data, t);
  ++t.body()->storage->version;
}

}  // namespace pinn
