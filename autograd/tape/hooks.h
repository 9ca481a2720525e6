#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "autograd/tape/node.h"

/// Functions that a backward pass calls on its way. At a node with all its gradients there, the
/// order is: hooks on the gradients of its outputs, grad() of tensors that retain theirs and the
/// results of grad(), hooks before the node, the node, hooks after accumulation (of a leaf), hooks
/// after the node. Hooks of one kind run in the order they were registered, each sees what the one
/// before returned. Exceptions of hooks leave the pass as those of nodes do.
///
/// The engine does not lock around hooks: two passes at once may call one at the same time, and a
/// hook must not be registered or removed while another thread runs a pass over its node.
namespace pinn {

struct AnyHook;

/// Takes a hook away again: at any time, any number of times, also from within the hook. It may
/// outlive the hook's tensor. Going out of scope it removes nothing.
class HookHandle {
 public:
  HookHandle() = default;
  explicit HookHandle(std::vector<std::weak_ptr<AnyHook>> hooks) : hooks_(std::move(hooks)) {}
  void remove() const;

 private:
  std::vector<std::weak_ptr<AnyHook>> hooks_;
};

/// From the gradient of a tensor to the one that goes on: return it as it is to only look at it. An
/// undefined gradient is zero; it may arrive, and may be returned.
using GradientHook = std::function<Tensor(const Tensor&)>;
/// From the gradients of a node's outputs to those its formula sees.
using NodePreHook = std::function<Gradients(const Gradients&)>;
/// From what a node's formula made, and what it was given, to what goes on.
using NodePostHook = std::function<Gradients(const Gradients& made, const Gradients& given)>;

/// Called with the sum of all gradients of t, once a pass has computed it: also when t is an input
/// of grad() and the node that made it does not run. The hook is the tensor's place on the tape:
/// for a leaf it lasts as long as the leaf or any graph that uses it.
/// Errors: EngineError for a tensor that requires no gradient.
HookHandle on_gradient(const Tensor& t, GradientHook hook);

/// Lets t, though it has history, have a grad() as leaves do: every pass that computes its gradient
/// adds to it. Does nothing on a leaf, or when called again. The tensor is not kept alive.
/// Errors: EngineError for a tensor that requires no gradient.
void retain_grad(const Tensor& t);

/// Called when the node is about to run, and after it has run. Errors: EngineError for no node.
HookHandle before_node(const NodePtr& node, NodePreHook hook);
HookHandle after_node(const NodePtr& node, NodePostHook hook);

/// Called with the leaf after a pass has added to its grad(). Errors: EngineError unless leaf is a
/// leaf that requires a gradient.
HookHandle after_accumulation(const Tensor& leaf, std::function<void(const Tensor& leaf)> hook);

/// Called once per pass, after the last of those tensors' gradients that this pass computes, with
/// all of them; undefined for the others.
HookHandle on_all_gradients(const std::vector<Tensor>& tensors,
                            std::function<void(const std::vector<Tensor>& gradients)> hook);
/// Called once per pass, with the first of these gradients.
HookHandle on_any_gradient(const std::vector<Tensor>& tensors,
                           std::function<void(const Tensor& gradient)> hook);

/// True if the innermost running pass of this thread computes the gradients that arrive at this
/// node. Errors: EngineError when no pass is running.
bool will_execute(const Node& node);
/// The node whose formula runs on this thread now; null for none.
Node* running_node();
/// Calls f when the innermost running pass of this thread is complete, in the order of these calls;
/// f may call after_pass() again. If the pass fails f is dropped. Errors: EngineError when no pass
/// is running.
void after_pass(std::function<void()> f);

}  // namespace pinn
