#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/counted.h"
#include "autograd/core/numbers.h"
#include "autograd/core/shape.h"
#include "autograd/core/storage.h"

namespace pinn {

class Node;
using NodePtr = Ref<Node>;
struct TensorBody;

/// An array of up to four axes, and a place on the tape.
///
/// A Tensor is a handle: copies share the array and its history. A default one is *undefined*,
/// which as a gradient means zero. Functions of tensors are in autograd/tape/functions.h.
class Tensor {
 public:
  Tensor() = default;
  /// A number among tensors: no axes, and the dtype of whatever it meets.
  Tensor(double number);
  explicit Tensor(std::shared_ptr<TensorBody> body) : body_(std::move(body)) {}

  bool defined() const { return body_ != nullptr; }
  const Shape& shape() const;
  std::int64_t size(int axis) const;
  std::int64_t numel() const { return shape().numel(); }
  int rank() const { return shape().rank(); }
  DType dtype() const;
  Device device() const;
  const Sizes& strides() const;
  bool is_contiguous() const;
  bool is_number() const;  ///< made from a plain number, so its dtype gives way

  /// The elements in memory, for contiguous tensors of that type on the CPU. Errors: EngineError.
  template <class T> std::span<T> data() const;
  /// First element, whatever the strides, in the memory of the device; unchecked.
  void* raw() const;
  /// The only element; waits for a GPU that still works on it. Errors: ShapeError.
  double item() const;
  /// All elements in row-major order; waits likewise.
  std::vector<double> values() const;

  bool requires_grad() const;
  /// Leaves only. Errors: EngineError for a tensor with history or of a dtype that has no
  /// derivative.
  Tensor& set_requires_grad(bool on = true);
  bool is_leaf() const;
  /// Undefined before the first backward(), and, with a warning, of a tensor that is no leaf unless
  /// it retains its gradient.
  const Tensor& grad() const;
  void set_grad(const Tensor& g);  ///< an undefined one clears it

  /// The node that made this tensor; null for a leaf.
  const NodePtr& node() const;
  int output_number() const;      ///< which of that node's outputs it is
  std::uint32_t version() const;  ///< counts in-place changes, shared with all aliases
  const void* storage_id() const;

  /// The same elements, without history.
  Tensor detach() const;
  /// Drops the history of this tensor itself. Errors: EngineError for a view of another tensor.
  void detach_in_place();
  /// A copy in memory of its own; recorded.
  Tensor clone() const;
  /// A copy in the memory of another device, or this tensor where it is there; recorded.
  /// Errors: DeviceError when there is no such device, or no room.
  Tensor to(Device device) const;

  TensorBody* body() const { return body_.get(); }
  const std::shared_ptr<TensorBody>& shared_body() const { return body_; }

 private:
  TensorBody& checked() const {
    if (!body_) fail_undefined();
    return *body_;
  }
  [[noreturn]] static void fail_undefined();

  std::shared_ptr<TensorBody> body_;
};

}  // namespace pinn
