#pragma once
#include <algorithm>

#include "autograd/tape/hooks.h"
#include "autograd/tape/node.h"

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
    hooks_.back()->number = ++added_;
    hooks_.back()->f = std::make_shared<const F>(std::move(f));
    return hooks_.back();
  }
  /// call(f) for each, also for those that are added meanwhile. A hook may remove itself or others
  /// and add new ones, so the next one is found by its number: positions may have changed.
  template <class Call> void each(Call&& call) const {
    for (std::uint64_t last = 0;;) {
      const auto next = std::upper_bound(hooks_.begin(), hooks_.end(), last,
                                         [](auto n, const auto& hook) { return n < hook->number; });
      if (next == hooks_.end()) return;
      last = (*next)->number;
      if (const std::shared_ptr<const F> f = (*next)->f) call(*f);
    }
  }

 private:
  struct Hook : AnyHook {
    std::uint64_t number = 0;
    std::shared_ptr<const F> f;  ///< null once removed
    void remove() override { f = nullptr; }
  };
  std::vector<std::shared_ptr<Hook>> hooks_;  ///< by number
  std::uint64_t added_ = 0;
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

/// The sink of a leaf: adds arriving gradients into leaf.grad(). The leaf owns it, and it refers to
/// its leaf weakly: once all handles of a leaf are gone its gradient has no reader.
class Accumulator : public Node {
 public:
  explicit Accumulator(const Tensor& leaf) : leaf_(leaf.shared_body()) { add_output(leaf); }
  const char* name() const override { return "accumulator"; }
  Gradients apply(const Gradients& grads) override;
  bool is_accumulator() const override { return true; }

 private:
  std::weak_ptr<TensorBody> leaf_;
};

/// The accumulator of a leaf, made when it is first asked for.
const NodePtr& accumulator_of(const Tensor& leaf);

/// t.grad() += g. The grad tensor stays the same object and memory unless the pass records. The
/// first gradient is taken over if no other handle shares it, else copied.
void accumulate(const Tensor& t, const Tensor& g);

}  // namespace pinn
