#include "autograd/tape/task.h"

#include <algorithm>
#include <utility>

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"

namespace pinn {
namespace {

std::size_t hash(const Node* node) {
  return (reinterpret_cast<std::uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15ull >> 20;
}

/// Heap order: what runs later is "less".
bool runs_later(const Node* a, const Node* b) {
  if (a->is_accumulator() != b->is_accumulator()) return b->is_accumulator();
  return a->sequence_number() < b->sequence_number();
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

Task::Visit& Task::visit(Node* node) {
  if (2 * (visits_.size() + 1) > table_.size()) grow_table();
  std::size_t at = hash(node) & (table_.size() - 1);
  while (table_[at] >= 0) {
    if (visits_[table_[at]].node == node) return visits_[table_[at]];
    at = (at + 1) & (table_.size() - 1);
  }
  table_[at] = std::int32_t(visits_.size());
  visits_.emplace_back().node = node;
  return visits_.back();
}

const Task::Visit* Task::find(const Node* node) const {
  if (table_.empty()) return nullptr;
  for (std::size_t at = hash(node) & (table_.size() - 1); table_[at] >= 0;
       at = (at + 1) & (table_.size() - 1))
    if (visits_[table_[at]].node == node) return &visits_[table_[at]];
  return nullptr;
}

void Task::grow_table() {
  table_.assign(std::max<std::size_t>(16, table_.size() * 2), -1);
  for (std::size_t i = 0; i < visits_.size(); ++i) {
    std::size_t at = hash(visits_[i].node) & (table_.size() - 1);
    while (table_[at] >= 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = std::int32_t(i);
  }
}

bool Task::wants(const Node& node) const {
  if (!aimed_) return true;
  const Visit* v = find(&node);
  return v && should_run(*v);
}

bool Task::expands(const Node& node) const {
  return targets_.empty() || node.topological_number() > bound_;
}

void Task::discover() {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    visit(targets_[i].node.get()).captures.push_back({targets_[i].input, int(i)});
  stats().discovery_expanded = 0;
  for (const Seed& seed : seeds_) walk_from(seed.edge.node.get());
  stats().discovery_seen = std::int64_t(visits_.size());
}

// One depth-first walk counts dependencies and, as it leaves a node, tells the parent whether the
// node runs: then the parent is needed. A node met again was left before, since there are no
// cycles.
void Task::walk_from(Node* root) {
  struct Frame {
    Node* node;
    std::size_t next;
  };
  std::vector<Frame> stack;
  const auto enter = [&](Node* node) {
    Visit& v = visit(node);
    if (v.entered) return;
    v.entered = true;
    v.needed = targets_.empty();
    stats().discovery_expanded += expands(*node);
    stack.push_back({node, expands(*node) ? 0 : node->edges().size()});
  };
  enter(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    Node* const node = frame.node;
    if (frame.next < node->edges().size()) {
      Node* const child = node->edges()[frame.next++].node.get();
      if (!child) continue;
      Visit& v = visit(child);
      ++v.dependencies;
      if (!v.entered)
        enter(child);
      else if (should_run(v))
        visit(node).needed = true;
    } else {
      stack.pop_back();
      if (!stack.empty() && should_run(visit(node))) visit(stack.back().node).needed = true;
    }
  }
}

void Task::push_ready(Node* node) {
  ready_.push_back(node);
  std::push_heap(ready_.begin(), ready_.end(), runs_later);
}

void Task::deliver(Visit& to, int input, Tensor gradient) {
  if (to.gradients.empty()) to.gradients.resize(to.node->outputs().size());
  Tensor& sum = to.gradients[std::size_t(input)];
  if (!sum.defined())
    sum = std::move(gradient);
  else if (!create_ && owned_alone(sum))
    add_in_place(sum, gradient);
  else
    sum = sum + gradient;
}

void Task::run_node(Node* node, std::vector<Tensor>& results) {
  Visit& v = visit(node);
  if (v.gradients.empty()) v.gradients.resize(node->outputs().size());
  for (const Capture& c : v.captures)
    results[std::size_t(c.position)] = v.gradients[std::size_t(c.input)];
  Gradients arrived = std::exchange(v.gradients, {});
  if (!v.needed) return;
  Gradients out;
  {
    const std::lock_guard guard(node->lock);
    out = node->apply(arrived);
    if (!retain_) node->release();
  }
  ++stats().nodes_run;
  if (stats().recording) stats().order.push_back(node->name());
  arrived.clear();  // so that a gradient handed on may be summed in place
  must_have_all(out, *node);
  out.resize(node->edges().size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Edge& edge = node->edges()[i];
    if (!edge.node) continue;
    Visit& child = visit(edge.node.get());
    if (!should_run(child)) continue;
    if (out[i].defined()) deliver(child, edge.input, fitted(std::move(out[i]), *node, i));
    if (--child.dependencies == 0) push_ready(edge.node.get());
  }
}

std::vector<Tensor> Task::run() {
  discover();
  std::vector<Tensor> results(targets_.size());
  for (const Seed& seed : seeds_) {
    Visit& v = visit(seed.edge.node.get());
    const bool first = v.gradients.empty();
    deliver(v, seed.edge.input, seed.gradient);
    if (first && v.dependencies == 0 && should_run(v)) push_ready(v.node);
  }
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end(), runs_later);
    Node* const node = ready_.back();
    ready_.pop_back();
    run_node(node, results);
  }
  return results;
}

}  // namespace pinn
