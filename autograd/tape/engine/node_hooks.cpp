#include "autograd/tape/engine/node_hooks.h"

#include <mutex>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"

namespace pinn {
namespace {

void must_match(const Tensor& g, const Node& node, std::size_t i) {
  const Node::Output& expected = node.outputs()[i];
  if (!g.defined() || (g.shape() == expected.shape && g.dtype() == expected.dtype)) return;
  throw EngineError({"a hook returned the gradient " + describe(g) + " but expected " +
                         name_of(expected.dtype) + " " + to_string(expected.shape),
                     "output " + std::to_string(i) + " of node '" + std::string(node.name()) + "'",
                     "return a gradient of the same shape and dtype"});
}

}  // namespace

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

void run_gradient_hooks(const Node& node, Gradients& arrived) {
  const NodeHooks& hooks = *node.hooks_if_any();
  hooks.gradient.each([&](const NodeHooks::OfOutput& hook) {
    Tensor& g = arrived[std::size_t(hook.output)];
    g = hook.f(g);
    must_match(g, node, std::size_t(hook.output));
  });
  for (const NodeHooks::Retained& r : hooks.retained) {
    const Tensor& g = arrived[std::size_t(r.output)];
    if (std::shared_ptr<TensorBody> t = r.tensor.lock(); t && g.defined())
      accumulate(Tensor(std::move(t)), g);
  }
}

void run_pre_hooks(const Node& node, Gradients& arrived) {
  node.hooks_if_any()->before.each([&](const NodePreHook& hook) {
    const std::size_t expected = arrived.size();
    arrived = hook(arrived);
    if (arrived.size() != expected)
      throw EngineError({"a hook before a node returned " + std::to_string(arrived.size()) +
                             " gradients but expected " + std::to_string(expected),
                         "node '" + std::string(node.name()) + "'",
                         "return one gradient per output of the node"});
    for (std::size_t i = 0; i < expected; ++i) must_match(arrived[i], node, i);
  });
}

void run_post_hooks(const Node& node, Gradients& made, const Gradients& given) {
  node.hooks_if_any()->after.each([&](const NodePostHook& hook) { made = hook(made, given); });
}

}  // namespace pinn
