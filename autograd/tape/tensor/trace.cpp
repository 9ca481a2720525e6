#include "autograd/tape/trace.h"

#include <atomic>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"

namespace pinn {
namespace {

Trace*& current_trace() {
  static thread_local Trace* trace = nullptr;
  return trace;
}

/// Number of a new trace, for all threads: a tensor that is traced on one of them is of no trace of
/// another.
std::uint32_t next_number() {
  static std::atomic<std::uint32_t> count = 0;
  return ++count;
}

}  // namespace

Trace::Trace() : number_(next_number()), outer_(current_trace()) { current_trace() = this; }
Trace::~Trace() { current_trace() = outer_; }
Trace* Trace::current() { return current_trace(); }

Tensor Trace::append(Value v) {
  auto body = std::allocate_shared<TensorBody>(PieceAllocator<TensorBody>{});
  body->shape = v.shape;
  body->strides = contiguous_strides(v.shape);
  body->dtype = v.dtype;
  body->trace = number_;
  body->value = graph_.add(std::move(v));
  return Tensor(std::move(body));
}

Tensor Trace::input(const std::string& name, const Shape& shape, DType dtype, Extent extent) {
  return append(
      {.shape = shape, .dtype = dtype, .extent = extent, .input = inputs_++, .name = name});
}

int Trace::value_of(const Tensor& t) {
  const TensorBody& body = *t.body();
  const bool own = body.trace == number_;
  if (is_traced(t)) {
    if (own) return body.value;
    throw InternalError({"a traced tensor was used after its trace ended, or inside another one",
                         describe(t), "finish one trace before the next begins"});
  }
  if (!own && t.numel() != 1)
    throw EngineError({"a traced function captured a concrete tensor of more than one element",
                       describe(t), "make it an input of the trace"});
  return graph_.add(
      {.op = Primitive::constant, .shape = t.shape(), .dtype = t.dtype(), .numbers = t.values()});
}

Graph Trace::finish(const std::vector<Tensor>& outputs) {
  graph_.outputs.clear();
  for (const Tensor& t : outputs) graph_.outputs.push_back(value_of(t));
  return graph_;
}

Tensor append(Primitive op, std::initializer_list<const Tensor*> inputs, const Shape& shape,
              DType dtype, Value rest) {
  Trace* trace = Trace::current();
  if (!trace)
    throw InternalError({"a traced tensor was used after its trace ended", "",
                         "keep the Trace alive while its tensors are used"});
  rest.op = op;
  rest.shape = shape;
  rest.dtype = dtype;
  for (const Tensor* t : inputs) rest.inputs.push_back(t->defined() ? trace->value_of(*t) : -1);
  return trace->append(std::move(rest));
}

}  // namespace pinn
