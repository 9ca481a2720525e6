#pragma once
#include <memory>
#include <mutex>

#include "autograd/core/pool.h"
#include "autograd/tape/tensor.h"

namespace pinn {

/// What a Tensor handle points to: a window on a storage, and a place on the tape.
struct TensorBody {
  TensorBody();
  ~TensorBody();
  TensorBody(const TensorBody&) = delete;

  std::shared_ptr<Storage> storage;  ///< null for a traced tensor
  std::int64_t offset = 0;           ///< in elements
  Shape shape;
  Sizes strides{};  ///< in elements; 0 along an expanded axis
  DType dtype = DType::float64;
  bool is_number = false;
  std::uint32_t trace = 0;  ///< the trace it was made in, 0 for none
  int value = -1;           ///< of a traced tensor: its position in the graph

  bool requires_grad = false;
  int output_number = 0;
  std::shared_ptr<Node> node;
  Tensor grad;
  std::weak_ptr<Node> accumulator;  ///< of a leaf; the graph holds it strongly
  std::mutex leaf_lock;             ///< held while accumulator or grad change
};

/// The traced tensor's value is not there to be read. Errors: EngineError if t is traced.
void must_be_concrete(const Tensor& t, const char* what);

/// A contiguous tensor on fresh memory.
Tensor allocate(const Shape& shape, DType dtype);
/// Another window on t's storage, without history.
Tensor alias(const Tensor& t, const Shape& shape, const Sizes& strides, std::int64_t offset);
/// t itself when it is contiguous, else a copy; without history.
Tensor contiguous_data(const Tensor& t);
/// Whether nobody but this handle sees t's elements: they may be changed, or handed on.
bool owned_alone(const Tensor& t);

}  // namespace pinn
