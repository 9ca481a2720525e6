#include "autograd/core/error.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "autograd/tape/body.h"
#include "autograd/tape/engine/node_hooks.h"
#include "autograd/tape/engine/task.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/in_place/in_place.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

constexpr std::uint64_t new_tangent = 1, new_place = std::uint64_t(1) << 32;

/// A tensor after a view of it has changed: input 0 is what it was before, input 1 the view.
class ChangedPartNode : public Node {
 public:
  explicit ChangedPartNode(const Window& window) : window_(window) {}
  const char* name() const override { return "changed_part"; }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    if (!grads[0].defined()) return out;
    for (int i = 0; i < 2; ++i) {
      if (!wanted(i)) continue;
      note_formula(*this, i);
      out[std::size_t(i)] = i == 0 ? cleared(grads[0], window_) : taken(grads[0], window_);
    }
    return out;
  }

 private:
  Window window_;
};

/// Gives a tensor another place on the tape.
void move_to(TensorBody& body, const NodePtr& node, int output) {
  if (body.retains_grad) {
    std::vector<NodeHooks::Retained>& retained = body.node->hooks().retained;
    const auto own = std::find_if(retained.begin(), retained.end(),
                                  [&](const auto& r) { return r.tensor.lock().get() == &body; });
    node->hooks().retained.push_back({output, own->tensor});
    retained.erase(own);
  }
  body.node = node;
  body.output_number = output;
  body.requires_grad = true;
}

}  // namespace

void take_place_of(const Tensor& made, const Tensor& t) {
  TensorBody &body = *t.body(), &root = root_of(body);
  NodePtr whole;
  if (body.root) {
    const Tensor before(body.root);
    whole = make_node<ChangedPartNode>(window_of(body));
    whole->set_edges_to({&before, &made});
    whole->add_output(before);
  }
  if (root.is_saved) let_go_of_changed(whole ? whole : made.node(), root);
  if (whole) move_to(root, whole, 0);
  move_to(body, made.node(), made.output_number());
  root.changes += new_place;
  if (body.root) body.changes = root.changes.load();
}

void change_tangent(const Tensor& t, const Tensor& tangent) {
  TensorBody &body = *t.body(), &root = root_of(body);
  const bool follows = body.root || !body.is_view;
  if (body.is_foreign || !follows || root.shown & (to_strangers | to_function))
    throw EngineError(
        {"a dual tensor was changed in place while others that would not notice "
         "share its memory",
         describe(t), "change a clone() instead"});
  const NoTangents of_tangents;
  const Tensor part = tangent.defined() ? expand(cast(tangent, t.dtype()), t.shape()) : Tensor();
  if (body.root) {
    const Tensor whole(body.root), before = tangent_of(whole);
    const Window window = window_of(body);
    set_tangent(whole, sum_of_defined(before.defined() ? cleared(before, window) : Tensor(),
                                      part.defined() ? spread(part, window) : Tensor()));
  }
  set_tangent(t, part);
  root.changes += new_tangent;
  if (body.root) body.changes = root.changes.load();
}

void follow_root(const Tensor& t) {
  TensorBody& view = *t.body();
  const std::lock_guard guard(view.leaf_lock);
  const std::uint64_t before = view.changes, now = view.root->changes;
  if (before == now) return;
  const Tensor root(view.root);
  if ((before ^ now) >= new_place) {
    if (root.body()->shown & to_old_views)
      throw EngineError(
          {"a view was read after its base was changed in place, and then detached "
           "in place",
           describe(root), "use the out-of-place detach()"});
    const NoTangents of_tangents;
    const RecordingGuard recorded(true);
    const Tensor place = taken(root, window_of(view));
    move_to(view, place.body()->node, place.body()->output_number);
  }
  const RecordingGuard as_the_tangent(true);
  const NoTangents of_tangents;
  const Tensor tangent = tangent_of(root);
  set_tangent(t, tangent.defined() ? taken(tangent, window_of(view)) : Tensor());
  view.changes.store(now, std::memory_order_release);
}

namespace {

/// The nodes that another one keeps alive, found one after another.
class Reached {
 public:
  void add(const NodePtr& node) {
    if (node && seen_.insert(node.get()).second) waiting_.push_back(node);
  }
  bool empty() const { return waiting_.empty(); }
  NodePtr next() {
    NodePtr node = std::move(waiting_.back());
    waiting_.pop_back();
    return node;
  }

 private:
  std::set<const Node*> seen_;
  std::vector<NodePtr> waiting_;
};

}  // namespace

void let_go_of_changed(const NodePtr& from, const TensorBody& root) {
  const WithoutNode aside(current_task());
  Reached reached;
  reached.add(from);
  while (!reached.empty()) {
    const NodePtr node = reached.next();
    for (const Edge& e : node->edges()) reached.add(e.node);
    const std::lock_guard guard(node->lock);
    for (Saved& slot : node->slots()) {
      if (!slot.kept().defined()) continue;
      TensorBody& kept = *slot.kept().body();
      if (&root_of(kept) == &root) {
        slot.let_go_of_place();
      } else {
        reached.add(kept.node);
        reached.add(root_of(kept).node);
      }
    }
  }
}

}  // namespace pinn
