#include "autograd/tape/hooks.h"

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine/node_hooks.h"
#include "autograd/tape/engine/task.h"

namespace pinn {
namespace {

void must_require_grad(const Tensor& t) {
  if (t.requires_grad()) return;
  throw EngineError({"a hook was put on a tensor that does not require grad", describe(t),
                     "call set_requires_grad() first"});
}

template <class F> void must_be_function(const F& hook) {
  if (!hook)
    throw EngineError({"a hook that is no function", "a null std::function", "pass a function"});
}

void must_be_node(const NodePtr& node) {
  if (!node)
    throw EngineError({"a hook was put on no node: a leaf has none, nor what was not recorded", "",
                       "put the hook on the node() of an op's result, or use on_gradient()"});
}

Task& running_pass(const char* what) {
  if (Task* task = current_task()) return *task;
  throw EngineError({std::string(what) + " was called, but no backward pass is running", "",
                     "call it from a hook or a derivative formula"});
}

/// Tensors with one hook together. They are known by the hook each has on its node: while it is
/// there the node is, so that nothing here needs to keep a node alive.
struct Group {
  struct Member {
    std::weak_ptr<AnyHook> hook;
    const Node* node;
  };
  std::vector<Member> members;

  int expected(const Task& task) const {
    int n = 0;
    for (const Member& m : members) n += !m.hook.expired() && task.runs(*m.node);
    return n;
  }
};

/// f(group, position, gradient) as a hook on each of the tensors.
template <class F> HookHandle on_each(const std::vector<Tensor>& tensors, const F& f) {
  const auto group = std::make_shared<Group>();
  std::vector<std::weak_ptr<AnyHook>> hooks;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    must_require_grad(tensors[i]);
    const Edge edge = edge_of(tensors[i]);
    const GradientHook hook = [f, group, i](const Tensor& g) {
      f(*group, i, g);
      return g;
    };
    hooks.push_back(edge.node->hooks().gradient.add({edge.input, hook}));
    group->members.push_back({hooks.back(), edge.node.get()});
  }
  return HookHandle(std::move(hooks));
}

}  // namespace

void HookHandle::remove() const {
  for (const std::weak_ptr<AnyHook>& hook : hooks_)
    if (const auto alive = hook.lock()) alive->remove();
}

HookHandle on_gradient(const Tensor& t, GradientHook hook) {
  must_require_grad(t);
  must_be_function(hook);
  const Edge edge = edge_of(t);
  return HookHandle({edge.node->hooks().gradient.add({edge.input, std::move(hook)})});
}

void retain_grad(const Tensor& t) {
  must_require_grad(t);
  if (t.is_leaf() || t.body()->retains_grad) return;
  t.body()->retains_grad = true;
  t.node()->hooks().retained.push_back({t.output_number(), t.shared_body()});
}

HookHandle before_node(const NodePtr& node, NodePreHook hook) {
  must_be_node(node);
  must_be_function(hook);
  return HookHandle({node->hooks().before.add(std::move(hook))});
}

HookHandle after_node(const NodePtr& node, NodePostHook hook) {
  must_be_node(node);
  must_be_function(hook);
  return HookHandle({node->hooks().after.add(std::move(hook))});
}

HookHandle after_accumulation(const Tensor& leaf, std::function<void(const Tensor&)> hook) {
  must_require_grad(leaf);
  must_be_function(hook);
  if (!leaf.is_leaf())
    throw EngineError({"a hook after accumulation was put on a tensor that is not a leaf",
                       describe(leaf), "use on_gradient()"});
  return HookHandle({accumulator_of(leaf)->hooks().accumulated.add(std::move(hook))});
}

HookHandle on_all_gradients(const std::vector<Tensor>& tensors,
                            std::function<void(const std::vector<Tensor>&)> hook) {
  must_be_function(hook);
  struct Arrived {
    int missing;
    std::vector<Tensor> gradients;
  };
  return on_each(tensors,
                 [hook = std::move(hook)](const Group& group, std::size_t i, const Tensor& g) {
                   Task& task = *current_task();
                   std::shared_ptr<void>& memory = task.memory(&group);
                   if (!memory)
                     memory = std::make_shared<Arrived>(
                         Arrived{group.expected(task), std::vector<Tensor>(group.members.size())});
                   auto& arrived = *static_cast<Arrived*>(memory.get());
                   arrived.gradients[i] = g;
                   if (--arrived.missing == 0) hook(arrived.gradients);
                 });
}

HookHandle on_any_gradient(const std::vector<Tensor>& tensors,
                           std::function<void(const Tensor&)> hook) {
  must_be_function(hook);
  return on_each(tensors,
                 [hook = std::move(hook)](const Group& group, std::size_t, const Tensor& g) {
                   std::shared_ptr<void>& memory = current_task()->memory(&group);
                   if (!std::exchange(memory, std::make_shared<bool>(true))) hook(g);
                 });
}

bool will_execute(const Node& node) { return running_pass("will_execute()").runs(node); }

Node* running_node() {
  const Task* task = current_task();
  return task ? task->running_node() : nullptr;
}

void after_pass(std::function<void()> f) { running_pass("after_pass()").afterwards(std::move(f)); }

}  // namespace pinn
