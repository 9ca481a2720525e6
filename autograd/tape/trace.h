#pragma once
#include <memory>

#include "autograd/graph/graph.h"
#include "autograd/tape/tensor.h"

namespace pinn {

/// A function being traced: while one is open on a thread, traced tensors append their ops to its
/// graph. Concrete tensors made meanwhile are constants of the graph; one from outside may take
/// part only if it has a single element.
class Trace {
 public:
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;

  /// A tensor that stands for something given when the program runs: the n-th call declares input
  /// n, whatever becomes of it; the name is shown. Rows have any_points as their first axis.
  Tensor input(const std::string& name, const Shape& shape, DType dtype, Extent extent);
  /// The graph so far, with these tensors as outputs. Errors: EngineError for a tensor that is not
  /// of this trace and has more than one element.
  Graph finish(const std::vector<Tensor>& outputs);

  /// Graph of what was appended so far.
  const Graph& graph() const { return graph_; }
  /// The position of t's value; a concrete tensor becomes a constant.
  int value_of(const Tensor& t);
  /// A tensor for a new value, whose extent the graph finds.
  Tensor append(Value v);

  /// Number that marks this trace's tensors.
  std::uint32_t number() const { return number_; }
  /// The trace that is open on this thread, or null.
  static Trace* current();

 private:
  std::uint32_t number_;
  int inputs_ = 0;
  Graph graph_;
  Trace* outer_;
};

/// True if an op on this tensor belongs to a trace.
inline bool is_traced(const Tensor& t) { return t.defined() && t.body()->value >= 0; }

/// True if an op on these tensors (undefined ones do not count) is appended to a trace.
inline bool any_traced(std::initializer_list<const Tensor*> inputs) {
  for (const Tensor* t : inputs)
    if (is_traced(*t)) return true;
  return false;
}

/// Appends an op on these tensors to the open trace; `rest` is what else it needs to know. Errors:
/// InternalError when no trace is open.
Tensor append(Primitive op, std::initializer_list<const Tensor*> inputs, const Shape& shape,
              DType dtype, Value rest = {});

}  // namespace pinn
