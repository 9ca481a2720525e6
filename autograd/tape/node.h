#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "autograd/core/inline_vector.h"
#include "autograd/core/stats.h"
#include "autograd/core/storage.h"
#include "autograd/tape/saved.h"
#include "autograd/tape/tensor.h"

namespace pinn {

class Node;
struct Creation;
struct NodeHooks;

/// Destination of a gradient: which of that node's gradient inputs. Invalid (null) for an input
/// that needs no gradient.
struct Edge {
  NodePtr node;
  int input = 0;
};
using Edges = InlineVector<Edge, 3>;

/// Gradients by position; undefined ones are zero and cost nothing.
using Gradients = InlineVector<Tensor, 3>;

/// One recorded op: knows how gradients of its outputs become gradients of its inputs.
///
/// Nodes are made by make_node and die by a worklist, never by recursion: a chain of a million of
/// them is released in constant stack.
class Node : public Counted {
 public:
  /// Metadata that a gradient of an output must match.
  struct Output {
    Shape shape;
    DType dtype = DType::float64;
    Device device = Device::cpu;
  };

  Node();
  virtual ~Node();
  Node(const Node&) = delete;
  static void* operator new(std::size_t bytes) { return take_piece(bytes); }
  static void operator delete(void* p, std::size_t bytes) { give_piece(p, bytes); }

  virtual const char* name() const = 0;
  /// One gradient per edge from one per output. A formula must ask wanted(i) before it computes or
  /// even unpacks anything.
  virtual Gradients apply(const Gradients& grads) = 0;
  /// Drops saved tensors; called after the node ran in a pass that does not retain the graph.
  virtual void release();
  /// Leaf accumulators run as soon as they are ready.
  virtual bool is_accumulator() const { return false; }

  /// True if the formula will read that slot in the innermost running pass, as far as that is known
  /// before: then it may be made ready. A formula may read a slot that this says nothing of.
  virtual bool will_read(int) const { return false; }

  /// True if the innermost running backward pass wants the gradient of input i.
  bool wanted(int i) const;

  const Edges& edges() const { return edges_; }
  /// Edges may be set until a parent has read the topological number. Errors: InternalError.
  void set_edges(Edges edges);
  /// Edges to what made these inputs.
  void set_edges_to(std::initializer_list<const Tensor*> inputs);
  const InlineVector<Output, 1>& outputs() const { return outputs_; }
  void add_output(const Tensor& t);
  /// Metadata that a gradient of input i must match; only for inputs that require one.
  const Output& input_metadata(int i) const {
    const Edge& edge = edges_[std::size_t(i)];
    return edge.node->outputs_[std::size_t(edge.input)];
  }

  /// Tensors kept for the derivative formula, by slot; what a slot holds is up to the node.
  const InlineVector<Saved, 2>& slots() const { return slots_; }
  InlineVector<Saved, 2>& slots() { return slots_; }
  /// Name of a slot in messages.
  virtual const char* slot_name(int) const { return "saved tensor"; }
  /// Keeps t in a slot; is_output: t is an output of this node.
  void save(int slot, const Tensor& t, bool is_output = false);
  /// The tensor in a slot, undefined for one that was not saved. Errors: EngineError when it was
  /// dropped, or changed in place since.
  Tensor unpack(int slot);

  /// Length of the longest path to a node without edges: if it is not larger than another node's,
  /// no path leads there.
  std::int64_t topological_number() const { return topological_number_; }
  /// Counts nodes in the order one thread made them.
  std::uint64_t sequence_number() const { return sequence_number_; }

  /// The node's hooks (hooks.h); null where there are none.
  const NodeHooks* hooks_if_any() const { return hooks_.get(); }
  NodeHooks& hooks();
  /// Place where the node was made; null outside an AnomalyMode.
  const std::shared_ptr<const Creation>& creation() const { return creation_; }

  /// Held while the node runs and while its saved tensors are dropped, but for the passes that its
  /// formula starts: they may come by here, and so may other threads meanwhile.
  std::mutex lock;

 private:
  void note_children(const Edges& edges);

  Edges edges_;
  InlineVector<Output, 1> outputs_;
  InlineVector<Saved, 2> slots_;
  std::unique_ptr<NodeHooks> hooks_;
  std::shared_ptr<const Creation> creation_;
  std::int64_t topological_number_ = 0;
  std::uint64_t sequence_number_;
  std::atomic<bool> has_parent_{false};
};

/// Deletes a node without references, and one after another those that only it did refer to.
void retire(Node* node);

template <class N, class... Arguments> Ref<N> make_node(Arguments&&... arguments) {
  return Ref<N>::first(new N(std::forward<Arguments>(arguments)...));
}

/// True if an op on these inputs is recorded: grad mode is on and one of them requires a gradient.
bool needs_recording(std::initializer_list<const Tensor*> inputs);
bool needs_recording(const std::vector<Tensor>& inputs);

/// The edge to whatever made t: its node, its leaf accumulator, or nothing.
Edge edge_of(const Tensor& t);

/// Makes `output` the next output of `node`.
void set_history(Tensor& output, const NodePtr& node);

/// Makes y the output of a node on these inputs; y keeps the node alive.
void record_node(NodePtr node, std::initializer_list<const Tensor*> inputs, Tensor& y);
template <class N> N* record(Ref<N> node, std::initializer_list<const Tensor*> inputs, Tensor& y) {
  N* recorded = node.get();
  record_node(std::move(node), inputs, y);
  return recorded;
}

/// Nodes alive in the whole process, for tests of leaks.
std::int64_t live_nodes();

/// Called where a node computes the gradient of its input i: what tests of pruning count.
inline void note_formula(const Node& node, int i) {
  if (stats().recording) ++stats().formula_runs[{node.name(), i}];
}

}  // namespace pinn
