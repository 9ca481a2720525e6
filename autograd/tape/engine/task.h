#pragma once
#include <functional>
#include <map>

#include "autograd/tape/node.h"

namespace pinn {

/// A gradient that enters the graph.
struct Seed {
  Edge edge;
  Tensor gradient;
};

/// One backward pass: which nodes it must run, in which order, and what it hands back.
///
/// Without targets every reachable node runs. With targets the nodes behind them are *captured*,
/// and only nodes on a path to one are *needed*. Discovery does not walk below the smallest
/// topological number of a target: no target can be there.
class Task {
 public:
  Task(bool retain_graph, bool create_graph) : retain_(retain_graph), create_(create_graph) {}

  void seed(std::vector<Seed> seeds) { seeds_ = std::move(seeds); }
  void aim(std::vector<Edge> targets);
  bool create_graph() const { return create_; }

  /// Runs the pass; one tensor per target, undefined where nothing arrived.
  std::vector<Tensor> run();

  /// True if the gradient of input i of a node is of use to the pass.
  bool wants(const Node& node, int i) const;
  /// True if the pass computes the gradients that arrive at a node.
  bool runs(const Node& node) const;
  /// f(node) for each node whose formula the pass runs.
  template <class F> void each_needed(F&& f) const {
    for (const Visit& v : visits_)
      if (v.needed) f(std::as_const(*v.node));
  }
  /// The node whose formula is running, or null.
  Node* running_node() const { return running_ ? running_->node : nullptr; }
  /// The lock of the node whose formula is running, if one is (WithoutNode below).
  void let_go_of_node() {
    if (held_) held_->unlock();
  }
  void hold_node_again() {
    if (held_) held_->lock();
  }
  /// Something a hook remembers for as long as the pass lasts; null at first.
  std::shared_ptr<void>& memory(const void* key) { return memory_[key]; }
  /// Calls f once the pass is complete.
  void afterwards(std::function<void()> f) { callbacks_.push_back(std::move(f)); }

 private:
  struct Capture {
    int input;
    int position;
  };
  /// State of a node in the pass.
  struct Visit {
    Node* node = nullptr;
    int dependencies = 0;  ///< edges into it from nodes that were expanded
    int children = -1;     ///< where the visits behind its edges stand in children_
    bool entered = false;  ///< by discovery
    bool needed = false;
    std::vector<Capture> captures;
    Gradients gradients;  ///< summed so far, per output of the node
  };

  /// The position of a node's visit, which is made if there is none.
  int visit(Node* node);
  /// As visit; -1 if there is none.
  int find(const Node* node) const;
  void grow_table();
  void discover();
  void walk_from(int root);
  bool expands(const Node& node) const;
  void deliver(Visit& to, int input, Tensor gradient);
  void run_node(Visit& visit, std::vector<Tensor>& results);
  Gradients formula_of(Visit& visit, const Gradients& arrived);
  void push_ready(int at);
  bool runs_later(int one, int other) const;
  bool should_run(const Visit& v) const { return v.needed || !v.captures.empty(); }

  bool retain_, create_, aimed_ = false;
  std::int64_t bound_ = -1;  ///< nodes at or below it are not expanded
  std::vector<Seed> seeds_;
  std::vector<Edge> targets_;
  std::vector<Visit> visits_;
  std::vector<int> table_;     ///< open addressing by node address: positions in visits_, or -1
  std::vector<int> children_;  ///< positions in visits_, one per edge of an expanded node, or -1
  std::vector<int> ready_;     ///< a heap: accumulators first, then the youngest node
  const Visit* running_ = nullptr;
  std::unique_lock<std::mutex>* held_ = nullptr;  ///< of the running node
  std::map<const void*, std::shared_ptr<void>> memory_;
  std::vector<std::function<void()>> callbacks_;
};

/// The innermost pass that is running on this thread, or null.
Task* current_task();

/// In its scope the running node of a pass, if there is one, is not locked. A thread locks one node
/// at most: two threads that each hold one and want the other's would wait for each other.
class WithoutNode {
 public:
  explicit WithoutNode(Task* pass) : pass_(pass) {
    if (pass_) pass_->let_go_of_node();
  }
  ~WithoutNode() {
    if (pass_) pass_->hold_node_again();
  }
  WithoutNode(const WithoutNode&) = delete;

 private:
  Task* pass_;
};

}  // namespace pinn
