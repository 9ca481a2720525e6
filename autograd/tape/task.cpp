#include "autograd/tape/task.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"

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

/// Whether g may be changed in place: nobody else can see it.
bool owned_alone(const Tensor& g) {
  return g.shared_body().use_count() == 1 && g.body()->storage.use_count() == 1 &&
         g.is_contiguous() && !g.requires_grad();
}

/// Brings a gradient to what its edge must have: sums what broadcasting spread, casts the dtype.
Tensor fitted(Tensor g, const Node& node, int input) {
  const Node::Output& expected = node.outputs()[input];
  if (!(g.shape() == expected.shape)) {
    Shape common;
    try {
      common = broadcast(g.shape(), expected.shape);
    } catch (const ShapeError&) {
      common = expected.shape;
    }
    if (!(common == g.shape()))
      throw EngineError(
          {"invalid gradient at index " + std::to_string(input) + ": got " + to_string(g.shape()) +
               " but expected shape compatible with " + to_string(expected.shape),
           "node '" + std::string(node.name()) + "'", "return a gradient of the input's shape"});
    g = sum_to(g, expected.shape);
  }
  return g.dtype() == expected.dtype ? g : cast(g, expected.dtype);
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

// One depth-first walk counts dependencies and, as it leaves a node, decides whether it is needed:
// its children are finished by then.
void Task::discover() {
  struct Frame {
    Node* node;
    std::size_t next;
  };
  std::vector<Frame> stack;
  std::int64_t expanded = 0;
  const auto enter = [&](Node* node) {
    const bool below = !targets_.empty() && node->topological_number() <= bound_;
    stack.push_back({node, below ? node->edges().size() : 0});
    expanded += !below;
  };
  for (const Edge& target : targets_) visit(target.node.get());
  for (std::size_t i = 0; i < targets_.size(); ++i)
    visit(targets_[i].node.get()).captures.push_back({targets_[i].input, int(i)});
  std::vector<bool> entered(visits_.size(), false);
  const auto first_time = [&](Node* node) {
    const std::size_t at = std::size_t(&visit(node) - visits_.data());
    if (at >= entered.size()) entered.resize(visits_.size() + 64, false);
    if (entered[at]) return false;
    return bool(entered[at] = true);
  };
  for (const Seed& seed : seeds_)
    if (first_time(seed.edge.node.get())) {
      enter(seed.edge.node.get());
      while (!stack.empty()) {
        Frame& frame = stack.back();
        if (frame.next == frame.node->edges().size()) {
          Visit& v = visit(frame.node);
          const bool below = !targets_.empty() && frame.node->topological_number() <= bound_;
          finish(v, !below);
          stack.pop_back();
          continue;
        }
        Node* child = frame.node->edges()[frame.next++].node.get();
        if (!child) continue;
        ++visit(child).dependencies;
        if (first_time(child)) enter(child);
      }
    }
  stats().discovery_expanded = expanded;
  stats().discovery_seen = std::int64_t(visits_.size());
}

void Task::finish(Visit& v, bool expanded) {
  if (targets_.empty()) {
    v.needed = true;
    return;
  }
  if (!expanded) return;
  for (const Edge& e : v.node->edges()) {
    if (!e.node) continue;
    const Visit* child = find(e.node.get());
    if (child && should_run(*child)) v.needed = true;
  }
}

void Task::push_ready(Node* node) {
  ready_.push_back(node);
  std::push_heap(ready_.begin(), ready_.end(), runs_later);
}

void Task::deliver(Node* node, int input, Tensor gradient) {
  gradient = fitted(std::move(gradient), *node, input);
  std::vector<Tensor>& sums = visit(node).gradients;
  if (sums.empty()) sums.resize(node->outputs().size());
  Tensor& sum = sums[input];
  if (!sum.defined())
    sum = std::move(gradient);
  else if (!create_ && owned_alone(sum) && !gradient.requires_grad())
    add_in_place(sum, gradient);
  else
    sum = sum + gradient;
}

void Task::run_node(Visit v, std::vector<Tensor>& results) {
  Node& node = *v.node;
  if (v.gradients.empty()) v.gradients.resize(node.outputs().size());
  for (const Capture& c : v.captures) results[c.position] = v.gradients[c.input];
  if (!v.needed) return;
  Gradients out;
  {
    const std::lock_guard guard(node.lock);
    out = node.apply(v.gradients);
    if (!retain_) node.release();
  }
  ++stats().nodes_run;
  if (stats().recording) stats().order.push_back(node.name());
  v.gradients.clear();
  out.resize(node.edges().size());
  for (std::size_t i = 0; i < node.edges().size(); ++i) {
    const Edge& edge = node.edges()[i];
    if (!edge.node) continue;
    Visit& child = visit(edge.node.get());
    const bool useful = targets_.empty() || should_run(child);
    if (out[i].defined() && useful) deliver(edge.node.get(), edge.input, std::move(out[i]));
    if (--visit(edge.node.get()).dependencies == 0 && useful) push_ready(edge.node.get());
  }
}

std::vector<Tensor> Task::run() {
  discover();
  std::vector<Tensor> results(targets_.size());
  for (Seed& seed : seeds_) {
    const bool first = visit(seed.edge.node.get()).gradients.empty();
    // A private copy of the handle: sums of several seeds must not change the caller's tensor.
    deliver(seed.edge.node.get(), seed.edge.input, seed.gradient);
    const Visit& v = visit(seed.edge.node.get());
    if (first && v.dependencies == 0 && (targets_.empty() || should_run(v)))
      push_ready(seed.edge.node.get());
  }
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end(), runs_later);
    Node* node = ready_.back();
    ready_.pop_back();
    Visit& v = visit(node);
    Visit taken;
    taken.node = node;
    taken.needed = v.needed;
    taken.captures = std::move(v.captures);
    taken.gradients = std::move(v.gradients);
    run_node(std::move(taken), results);
    visit(node).captures.clear();
  }
  return results;
}

}  // namespace pinn
