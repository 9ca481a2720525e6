#include "autograd/tape/node.h"

#include "autograd/core/error.h"
#include "autograd/core/tally.h"
#include "autograd/tape/accumulator.h"
#include "autograd/tape/body.h"
#include "autograd/tape/modes.h"

namespace pinn {
namespace {

std::uint64_t next_sequence_number() {
  static thread_local std::uint64_t count = 0;
  return ++count;
}

}  // namespace

Node::Node() : sequence_number_(next_sequence_number()) { add_to(Tally::nodes, 1); }
Node::~Node() { add_to(Tally::nodes, -1); }

void note_parent(const Node& child) { child.has_parent_.store(true, std::memory_order_relaxed); }

void Node::release() {
  for (Saved& s : slots_) s.drop();
}

void Node::add_output(const Tensor& t) { outputs_.push_back({t.shape(), t.dtype(), t.device()}); }

void Node::save(int slot, const Tensor& t, bool is_output) {
  if (slots_.size() <= std::size_t(slot)) slots_.resize(std::size_t(slot) + 1);
  slots_[std::size_t(slot)].keep(t, *this, is_output);
}

Tensor Node::unpack(int slot) {
  if (std::size_t(slot) >= slots_.size()) return {};
  return slots_[std::size_t(slot)].unpack(*this);
}

void Node::set_edges(Edges edges) {
  std::int64_t number = 0;
  for (const Edge& e : edges)
    if (e.node) number = std::max(number, e.node->topological_number() + 1);
  if (has_parent_.load(std::memory_order_relaxed) && number > topological_number_)
    throw InternalError({"the edges of node '" + std::string(name()) +
                             "' changed after another node relied on its topological number",
                         "number " + std::to_string(topological_number_) + " would become " +
                             std::to_string(number),
                         "set all edges before the node's output is used"});
  for (const Edge& e : edges)
    if (e.node) note_parent(*e.node);
  topological_number_ = number;
  edges_ = std::move(edges);
}

// A node's destructor releases what it holds; nodes that die of it only join the list, so the depth
// of the stack does not grow with the depth of the graph.
void retire(Node* node) {
  static thread_local std::vector<Node*>* list = nullptr;
  if (list) return list->push_back(node);
  std::vector<Node*> dying{node};
  list = &dying;
  while (!dying.empty()) {
    Node* next = dying.back();
    dying.pop_back();
    delete next;
  }
  list = nullptr;
}

bool needs_recording(std::initializer_list<const Tensor*> inputs) {
  if (!recording()) return false;
  for (const Tensor* t : inputs)
    if (t->defined() && t->requires_grad()) return true;
  return false;
}

bool needs_recording(const std::vector<Tensor>& inputs) {
  if (!recording()) return false;
  for (const Tensor& t : inputs)
    if (t.requires_grad()) return true;
  return false;
}

Edge edge_of(const Tensor& t) {
  if (!t.defined() || !t.requires_grad()) return {};
  if (t.node()) return {t.node(), t.output_number()};
  return {accumulator_of(t), 0};
}

void set_history(Tensor& output, const NodePtr& node) {
  TensorBody& body = *output.body();
  body.requires_grad = true;
  body.output_number = int(node->outputs().size());
  node->add_output(output);
  body.node = node;
}

void record(NodePtr node, std::initializer_list<const Tensor*> inputs, Tensor& y) {
  Edges edges;
  for (const Tensor* t : inputs) edges.push_back(edge_of(*t));
  node->set_edges(std::move(edges));
  set_history(y, node);
}

std::int64_t live_nodes() { return total(Tally::nodes); }

}  // namespace pinn
