#include "autograd/tape/engine/task.h"

#include <algorithm>
#include <utility>

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/engine/node_hooks.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

std::size_t hash(const Node* node) {
  return (reinterpret_cast<std::uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15ull >> 20;
}

/// Brings gradient i of `node` to what its edge must have: sums what broadcasting spread, casts the
/// dtype.
Tensor fitted(Tensor g, const Node& node, std::size_t i) {
  const Edge& edge = node.edges()[i];
  const Node::Output& expected = edge.node->outputs()[std::size_t(edge.input)];
  if (!(g.shape() == expected.shape)) {
    if (!broadcasts_to(expected.shape, g.shape()))
      throw EngineError({"invalid gradient at index " + std::to_string(i) + ": got " +
                             to_string(g.shape()) + " but expected shape compatible with " +
                             to_string(expected.shape),
                         "returned by node '" + std::string(node.name()) + "'",
                         "return a gradient of the input's shape"});
    g = sum_to(g, expected.shape);
  }
  if (!is_traced(g) && g.device() != expected.device)
    throw EngineError({"invalid gradient at index " + std::to_string(i) + ": it is on " +
                           name_of(g.device()) + ", and the input on " + name_of(expected.device),
                       "returned by node '" + std::string(node.name()) + "'",
                       "return a gradient on the input's device: g.to(device)"});
  return g.dtype() == expected.dtype ? g : cast(g, expected.dtype);
}

void must_have_all(const Gradients& found, const Node& node) {
  if (found.empty() || found.size() == node.edges().size()) return;
  throw EngineError({"invalid number of gradients: got " + std::to_string(found.size()) +
                         " but expected " + std::to_string(node.edges().size()),
                     "returned by node '" + std::string(node.name()) + "'",
                     "return one gradient per input, or none at all"});
}

}  // namespace

void Task::aim(std::vector<Edge> targets) {
  targets_ = std::move(targets);
  aimed_ = engine_switches().prune;
  bound_ = -1;
  if (!engine_switches().bound_discovery) return;
  bound_ = targets_[0].node->topological_number();
  for (const Edge& t : targets_) bound_ = std::min(bound_, t.node->topological_number());
}

int Task::visit(Node* node) {
  if (2 * (visits_.size() + 1) > table_.size()) grow_table();
  std::size_t at = hash(node) & (table_.size() - 1);
  while (table_[at] >= 0) {
    if (visits_[std::size_t(table_[at])].node == node) return table_[at];
    at = (at + 1) & (table_.size() - 1);
  }
  visits_.emplace_back().node = node;
  return table_[at] = int(visits_.size()) - 1;
}

int Task::find(const Node* node) const {
  if (table_.empty()) return -1;
  std::size_t at = hash(node) & (table_.size() - 1);
  while (table_[at] >= 0 && visits_[std::size_t(table_[at])].node != node)
    at = (at + 1) & (table_.size() - 1);
  return table_[at];
}

void Task::grow_table() {
  table_.assign(std::max<std::size_t>(16, table_.size() * 2), -1);
  for (std::size_t i = 0; i < visits_.size(); ++i) {
    std::size_t at = hash(visits_[i].node) & (table_.size() - 1);
    while (table_[at] >= 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = int(i);
  }
}

bool Task::wants(const Node& node, int i) const {
  if (!aimed_) return true;
  const bool known = running_ && running_->node == &node;
  const int child = known ? children_[std::size_t(running_->children + i)]
                          : find(node.edges()[std::size_t(i)].node.get());
  return child >= 0 && should_run(visits_[std::size_t(child)]);
}

bool Task::runs(const Node& node) const {
  const int at = find(&node);
  return at >= 0 && should_run(visits_[std::size_t(at)]);
}

bool Task::expands(const Node& node) const {
  return targets_.empty() || node.topological_number() > bound_;
}

void Task::discover() {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    visits_[std::size_t(visit(targets_[i].node.get()))].captures.push_back(
        {targets_[i].input, int(i)});
  stats().discovery_expanded = 0;
  for (const Seed& seed : seeds_) walk_from(visit(seed.edge.node.get()));
  stats().discovery_seen = std::int64_t(visits_.size());
}

// One depth-first walk counts dependencies and, as it leaves a node, tells the parent whether the
// node runs: then the parent is needed. A node met again was left before, since there are no
// cycles.
void Task::walk_from(int root) {
  struct Frame {
    std::size_t at, next;
  };
  std::vector<Frame> stack;
  std::int64_t expanded = 0;
  const auto enter = [&](std::size_t at) {
    Visit& v = visits_[at];
    if (v.entered) return;
    v.entered = true;
    v.needed = targets_.empty();
    const std::size_t edges = v.node->edges().size();
    const bool walks = expands(*v.node);
    expanded += walks;
    stack.push_back({at, walks ? 0 : edges});
    if (!walks) return;
    v.children = int(children_.size());
    children_.resize(children_.size() + edges, -1);
  };
  enter(std::size_t(root));
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const std::size_t at = frame.at;
    const Edges& edges = visits_[at].node->edges();
    if (frame.next < edges.size()) {
      const std::size_t i = frame.next++;
      if (!edges[i].node) continue;
      const std::size_t to = std::size_t(visit(edges[i].node.get()));
      children_[std::size_t(visits_[at].children) + i] = int(to);
      ++visits_[to].dependencies;
      if (!visits_[to].entered)
        enter(to);
      else if (should_run(visits_[to]))
        visits_[at].needed = true;
    } else {
      stack.pop_back();
      if (!stack.empty() && should_run(visits_[at])) visits_[stack.back().at].needed = true;
    }
  }
  stats().discovery_expanded += expanded;
}

// Heap order: what runs later is "less".
bool Task::runs_later(int one, int other) const {
  const Node &a = *visits_[std::size_t(one)].node, &b = *visits_[std::size_t(other)].node;
  if (a.is_accumulator() != b.is_accumulator()) return b.is_accumulator();
  return a.sequence_number() < b.sequence_number();
}

void Task::push_ready(int at) {
  ready_.push_back(at);
  std::push_heap(ready_.begin(), ready_.end(), [this](int a, int b) { return runs_later(a, b); });
}

void Task::deliver(Visit& to, int input, Tensor gradient) {
  if (to.gradients.empty()) to.gradients.resize(to.node->outputs().size());
  Tensor& sum = to.gradients[std::size_t(input)];
  if (!sum.defined())
    sum = std::move(gradient);
  else if (!create_ && owned_alone(sum) && gradient.body()->storage)
    add_in_place(sum, gradient);
  else
    sum = sum + gradient;
}

Gradients Task::formula_of(Visit& v, const Gradients& arrived) {
  Node& node = *v.node;
  struct RunningMark {
    Task& task;
    ~RunningMark() {
      task.running_ = nullptr;
      task.held_ = nullptr;
    }
  } const running{*this};
  std::unique_lock guard(node.lock);
  running_ = &v;
  held_ = &guard;
  try {
    Gradients made = node.apply(arrived);
    if (anomaly_mode())
      for (std::size_t i = 0; i < made.size(); ++i) must_not_be_nan(node, made[i], i);
    if (!retain_) node.release();
    return made;
  } catch (...) {
    if (anomaly_mode()) warn_of_exception(node);
    throw;
  }
}

void Task::run_node(Visit& v, std::vector<Tensor>& results) {
  Node& node = *v.node;
  const bool hooked = node.hooks_if_any();
  if (v.gradients.empty()) v.gradients.resize(node.outputs().size());
  if (hooked) run_gradient_hooks(node, v.gradients);
  for (const Capture& c : v.captures)
    results[std::size_t(c.position)] = v.gradients[std::size_t(c.input)];
  Gradients arrived = std::exchange(v.gradients, Gradients());
  if (!v.needed) return;
  if (hooked) run_pre_hooks(node, arrived);
  Gradients out = formula_of(v, arrived);
  if (node.hooks_if_any()) run_post_hooks(node, out, arrived);
  ++stats().nodes_run;
  if (stats().recording) stats().order.push_back(node.name());
  arrived.clear();  // so that a gradient handed on may be summed in place
  must_have_all(out, node);
  for (std::size_t i = 0; i < node.edges().size(); ++i) {
    const int to = children_[std::size_t(v.children) + i];
    if (to < 0) continue;
    Visit& child = visits_[std::size_t(to)];
    if (!should_run(child)) continue;
    if (i < out.size() && out[i].defined())
      deliver(child, node.edges()[i].input, fitted(std::move(out[i]), node, i));
    if (--child.dependencies == 0) push_ready(to);
  }
}

std::vector<Tensor> Task::run() {
  discover();
  std::vector<Tensor> results(targets_.size());
  for (const Seed& seed : seeds_) {
    const int at = visit(seed.edge.node.get());
    Visit& v = visits_[std::size_t(at)];
    const bool first = v.gradients.empty();
    deliver(v, seed.edge.input, seed.gradient);
    if (first && v.dependencies == 0 && should_run(v)) push_ready(at);
  }
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end(), [this](int a, int b) { return runs_later(a, b); });
    const int at = ready_.back();
    ready_.pop_back();
    run_node(visits_[std::size_t(at)], results);
  }
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    std::exchange(callbacks_[i], nullptr)();  // which may add more
  return results;
}

}  // namespace pinn
