#pragma once
#include "autograd/tape/hooks.h"

namespace pinn {

/// A hook of whatever kind, for its handle.
struct AnyHook {
  virtual ~AnyHook() = default;
  virtual void remove() = 0;
};

/// Hooks of one kind, in the order they were added.
template <class F> class HookList {
 public:
  std::weak_ptr<AnyHook> add(F f) {
    std::erase_if(hooks_, [](const auto& hook) { return !hook->f; });
    hooks_.push_back(std::make_shared<Hook>());
    hooks_.back()->f = std::make_shared<const F>(std::move(f));
    return hooks_.back();
  }
  /// call(f) for each, also for those that are added meanwhile.
  template <class Call> void each(Call&& call) const {
    for (std::size_t i = 0; i < hooks_.size(); ++i)
      if (const std::shared_ptr<const F> f = hooks_[i]->f) call(*f);  // may remove itself
  }

 private:
  struct Hook : AnyHook {
    std::shared_ptr<const F> f;  ///< null once removed
    void remove() override { f = nullptr; }
  };
  std::vector<std::shared_ptr<Hook>> hooks_;
};

/// All hooks of a node.
struct NodeHooks {
  struct OfOutput {
    int output;
    GradientHook f;
  };
  struct Retained {
    int output;
    std::weak_ptr<TensorBody> tensor;
  };
  HookList<OfOutput> gradient;
  std::vector<Retained> retained;
  HookList<NodePreHook> before;
  HookList<NodePostHook> after;
  HookList<std::function<void(const Tensor&)>> accumulated;
};

/// Runs the hooks on the gradients that arrived at a node, then adds to the grad() of tensors that
/// retain theirs. Errors: EngineError when a hook changes shape or dtype.
void run_gradient_hooks(const Node& node, Gradients& arrived);
/// Errors: EngineError when a hook changes the number of gradients, a shape or a dtype.
void run_pre_hooks(const Node& node, Gradients& arrived);
void run_post_hooks(const Node& node, Gradients& made, const Gradients& given);

}  // namespace pinn
