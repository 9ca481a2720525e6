#include <set>

#include "autograd/tape/body.h"
#include "autograd/tape/in_place.h"
#include "autograd/tape/node.h"
#include "autograd/tape/task.h"

namespace pinn {
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
