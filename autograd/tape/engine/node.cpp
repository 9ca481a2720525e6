#include "autograd/tape/node.h"

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine/node_hooks.h"
#include "autograd/tape/modes.h"

namespace pinn {
namespace {

std::uint64_t next_sequence_number() {
  static thread_local std::uint64_t count = 0;
  return ++count;
}

/// Lets a new edge lead to whatever made t.
void connect(const Tensor& t, Edge& edge) {
  const TensorBody* body = t.body();
  if (!t.requires_grad()) return;
  edge.node = body->node ? body->node : accumulator_of(t);
  edge.input = body->output_number;
}

}  // namespace

Node::Node() : sequence_number_(next_sequence_number()) {
  add_to(Tally::nodes, 1);
  if (anomaly_mode()) creation_ = creation_here();
}
Node::~Node() { add_to(Tally::nodes, -1); }

NodeHooks& Node::hooks() {
  if (!hooks_) hooks_ = std::make_unique<NodeHooks>();
  return *hooks_;
}

void Node::release() {
  for (Saved& s : slots_) s.drop();
}

void Node::add_output(const Tensor& t) {
  const TensorBody& body = *t.body();
  Output& output = outputs_.add();
  output.shape = body.shape;
  output.dtype = body.dtype;
  output.device = t.device();
}

void Node::save(int slot, const Tensor& t, bool is_output) {
  if (t.defined() && t.body()->is_inference)
    throw EngineError({"an inference tensor cannot be saved for a backward pass",
                       describe(t) + ", by node '" + name() + "'",
                       "clone() it outside the InferenceMode and use that"});
  if (slots_.size() <= std::size_t(slot)) slots_.resize(std::size_t(slot) + 1);
  slots_[std::size_t(slot)].keep(t, *this, is_output);
}

Tensor Node::unpack(int slot) {
  if (std::size_t(slot) >= slots_.size()) return {};
  return slots_[std::size_t(slot)].unpack(*this);
}

void Node::set_edges(Edges edges) {
  note_children(edges);
  edges_ = std::move(edges);
}

void Node::set_edges_to(std::initializer_list<const Tensor*> inputs) {
  edges_.clear();
  for (const Tensor* t : inputs) connect(*t, edges_.add());
  note_children(edges_);
}

void Node::note_children(const Edges& edges) {
  std::int64_t number = 0;
  for (const Edge& e : edges) {
    if (!e.node) continue;
    number = std::max(number, e.node->topological_number_ + 1);
    e.node->has_parent_.store(true, std::memory_order_relaxed);
  }
  if (has_parent_.load(std::memory_order_relaxed) && number > topological_number_)
    throw InternalError({"the edges of node '" + std::string(name()) +
                             "' changed after another node relied on its topological number",
                         "number " + std::to_string(topological_number_) + " would become " +
                             std::to_string(number),
                         "set all edges before the node's output is used"});
  topological_number_ = number;
}

// A node's destructor releases what it holds; nodes that die of it only join the list, so the depth
// of the stack does not grow with the depth of the graph.
void retire(Node* node) {
  static thread_local std::vector<Node*>* list = nullptr;
  if (list) return list->push_back(node);
  std::vector<Node*> dying;  // needs no memory unless a node takes others with it
  list = &dying;
  delete node;
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
    if (t->requires_grad()) return true;
  return false;
}

bool needs_recording(const std::vector<Tensor>& inputs) {
  if (!recording()) return false;
  for (const Tensor& t : inputs)
    if (t.requires_grad()) return true;
  return false;
}

Edge edge_of(const Tensor& t) {
  Edge edge;
  connect(t, edge);
  return edge;
}

void set_history(Tensor& output, const NodePtr& node) {
  TensorBody& body = *output.body();
  body.requires_grad = true;
  body.output_number = int(node->outputs().size());
  node->add_output(output);
  body.node = node;
}

void record_node(NodePtr node, std::initializer_list<const Tensor*> inputs, Tensor& y) {
  node->set_edges_to(inputs);
  TensorBody& body = *y.body();
  body.requires_grad = true;
  body.output_number = int(node->outputs().size());
  node->add_output(y);
  body.node = std::move(node);
}

std::int64_t live_nodes() { return total(Tally::nodes); }

}  // namespace pinn
