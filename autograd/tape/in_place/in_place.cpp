#include "autograd/tape/in_place/in_place.h"

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

[[noreturn]] void refuse(const char* what, const std::string& why, const Tensor& t,
                         const std::string& fix) {
  throw EngineError({std::string(what) + ": " + why, describe(t), fix});
}

bool repeats_elements(const TensorBody& body) {
  if (body.shape.numel() == 0) return false;
  for (int i = 0; i < body.shape.rank(); ++i)
    if (body.strides[std::size_t(i)] == 0 && body.shape[i] > 1) return true;
  return false;
}

}  // namespace

void must_be_free_to_change(const Tensor& t, const char* what) {
  must_be_concrete(t, what);
  const TensorBody& body = *t.body();
  if (body.is_inference && !inference_mode())
    refuse(what, "an inference tensor was changed in place", t,
           "change a clone(), or do it inside an InferenceMode");
  if (recording() && body.is_unrecorded_view)
    refuse(what,
           "a view created in no_grad mode, of a tensor that requires a gradient, was changed in "
           "place",
           t, "make the change in a NoGrad scope too, or change a clone()");
  if (recording() && body.is_view) {
    const bool of_leaf =
        body.root ? body.root->requires_grad && !body.root->node : body.requires_grad && body.node;
    if (of_leaf)
      refuse(what, "a view with history, of a leaf that requires a gradient, was changed in place",
             t, "do it inside a NoGrad scope, or change a clone()");
  }
  if (recording() && t.requires_grad() && t.is_leaf())
    refuse(what, "a leaf that requires a gradient was changed in place", t,
           "do it inside a NoGrad scope, or make a new tensor");
  if (repeats_elements(body))
    refuse(what, "one element stands for several in an expanded tensor", t, "clone() it first");
}

namespace {

/// All that share the elements of t must be able to notice that their history changes.
void must_be_free_to_record(const Tensor& t, const char* what) {
  const TensorBody &body = *t.body(), &root = root_of(*t.body());
  if (body.is_foreign)
    refuse(what,
           "a tensor was changed in place whose memory is another tensor's too: that from which "
           "make_dual made it, or of which a custom function made it",
           t, "change a clone()");
  if (root.shown & to_function)
    refuse(what, "a tensor was changed in place that a custom function returned as its output", t,
           "change a clone(), or let the function return one");
  if (root.shown & to_leaf)
    refuse(what,
           "a tensor was changed in place, a view of which is a leaf that requires a gradient", t,
           "change a clone(), or make the leaf a clone()");
  if (root.shown & to_old_views)
    refuse(what, "a tensor was changed in place that was detached in place while it had views", t,
           "use the out-of-place detach()");
  if (body.root && repeats_elements(root))
    refuse(what, "one element stands for several in what this is a view of", t, "clone() it first");
}

/// Memory that only t sees, though it was a view's, is t's own.
void leave_root(const Tensor& t) {
  TensorBody& body = *t.body();
  if (!body.root || body.root.use_count() > 1) return;
  current(t);
  if (body.root->is_saved) body.is_saved = true;
  body.shown |= body.root->shown;
  body.root = nullptr;
  body.is_view = false;
}

void must_fit(const Tensor& made, const Tensor& t, const char* what) {
  must_have_one_dtype(what, t, made);
  if (!(made.shape() == t.shape()))
    throw ShapeError({std::string(what) + ": the result does not fit the tensor",
                      describe(made) + " into " + describe(t), "make a new tensor: x = x + y"});
  if (made.device() != t.device())
    throw EngineError({std::string(what) + ": the result is on another device",
                       describe(made) + " into " + describe(t), "bring t there with to()"});
}

/// x, or where it shows elements that a change of t reaches, what they are now; recorded.
Tensor kept_from(const Tensor& t, const Tensor& x) {
  return x.storage_id() == t.storage_id() ? x.clone() : x;
}

/// t = made, which has t's shape and dtype; with its history and tangent.
void become(const Tensor& t, const Tensor& made, const char* what) {
  must_fit(made, t, what);
  leave_root(t);
  const bool is_recorded = made.requires_grad();
  if (is_recorded) must_be_free_to_record(t, what);
  if (any_tangent({&t, &made})) change_tangent(t, tangent_of(made));
  kernels::copy_into(made, t);
  ++t.body()->storage->version;
  if (is_recorded) take_place_of(made, t);
}

/// The tangent of t + g.
Tensor tangent_of_sum(const Tensor& t, const Tensor& g) {
  const NoTangents of_tangents;
  return sum_of_defined(tangent_of(t), tangent_of(g));
}

/// t = t op x. What the op saves must be neither t, which would keep its own history alive and is
/// about to change, nor elements of t.
template <class Op> void change(Tensor& t, const Tensor& x, const char* what) {
  must_be_free_to_change(t, what);
  must_be_concrete(x, what);
  const bool may_save_t = Op::dy.x && recording() && (x.requires_grad() || any_tangent({&t, &x}));
  const Tensor made = apply<Op>(may_save_t ? t.clone() : t, Op::linear ? x : kept_from(t, x));
  become(t, made, what);
  t.body()->is_number = made.is_number();
}

}  // namespace

void change_place(const Tensor& t, const Tensor& made, const char* what) {
  leave_root(t);
  const bool is_recorded = made.requires_grad();
  if (is_recorded) must_be_free_to_record(t, what);
  if (any_tangent({&t, &made})) change_tangent(t, tangent_of(made));
  if (is_recorded) take_place_of(made, t);
}

void sub_in_place(Tensor& t, const Tensor& x) { change<op::Sub>(t, x, "sub_in_place"); }
void mul_in_place(Tensor& t, const Tensor& x) { change<op::Mul>(t, x, "mul_in_place"); }
void div_in_place(Tensor& t, const Tensor& x) { change<op::Div>(t, x, "div_in_place"); }

void add_in_place(Tensor& t, const Tensor& g) {
  // Gradients are summed here, so what needs no memory of its own takes none.
  const bool alike = t.shape() == g.shape() && t.dtype() == g.dtype() && !t.is_number();
  if (!alike || needs_recording({&t, &g})) return change<op::Add>(t, g, "add_in_place");
  must_be_free_to_change(t, "add_in_place");
  const Tensor data = contiguous_data(g);
  kernels::common_device("add_in_place", {&t, &data});
  if (any_tangent({&t, &g})) {
    leave_root(t);
    change_tangent(t, tangent_of_sum(t, g));
  }
  kernels::add_into(data.storage_id() == t.storage_id() ? data.detach().clone() : data, t);
  ++t.body()->storage->version;
}

void copy_in_place(Tensor& t, const Tensor& x) {
  must_be_free_to_change(t, "copy_in_place");
  if (!broadcasts_to(x.shape(), t.shape()))
    throw ShapeError({"copy_in_place needs equal shapes, or a source that broadcasts",
                      describe(x) + " into " + describe(t), "reshape the source"});
  const Tensor source = expand(kept_from(t, cast(x, t.dtype())), t.shape());
  kernels::common_device("copy_in_place", {&t, &source});
  Tensor made = source.detach();
  share_tangent(source, made);
  const auto same = [](const Tensor& g) { return g; };
  if (needs_recording({&t, &source}))  // without a source that requires a gradient there is no edge
    record(make_node<LinearMapNode<decltype(same)>>("copy", same), {&source}, made);
  become(t, made, "copy_in_place");
}

}  // namespace pinn
