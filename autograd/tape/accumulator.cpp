#include "autograd/tape/accumulator.h"

#include <mutex>

#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node_hooks.h"

namespace pinn {

const NodePtr& accumulator_of(const Tensor& leaf) {
  TensorBody& body = *leaf.body();
  if (body.has_accumulator.load(std::memory_order_acquire)) return body.accumulator;
  const std::lock_guard guard(body.leaf_lock);
  if (!body.accumulator) body.accumulator = make_node<Accumulator>(leaf);
  body.has_accumulator.store(true, std::memory_order_release);
  return body.accumulator;
}

void accumulate(const Tensor& t, const Tensor& g) {
  TensorBody& body = *t.body();
  {
    // Two accumulators of one leaf may follow each other, so their own locks would not do. A
    // recorded sum may ask for this leaf's accumulator: it is there, and asked for without the
    // lock.
    const std::lock_guard guard(body.leaf_lock);
    if (!body.grad.defined())
      body.grad = owned_alone(g) ? g : g.clone();
    else if (recording())
      body.grad = body.grad + g;
    else
      add_in_place(body.grad, g);
  }
  const NodePtr& sink = body.accumulator;
  if (sink && sink->hooks_if_any())
    sink->hooks_if_any()->accumulated.each([&](const auto& hook) { hook(t); });
}

Gradients Accumulator::apply(const Gradients& grads) {
  if (std::shared_ptr<TensorBody> leaf = leaf_.lock(); leaf && grads[0].defined())
    accumulate(Tensor(std::move(leaf)), grads[0]);
  return {};
}

}  // namespace pinn
