#pragma once
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/counted.h"
#include "autograd/core/numbers.h"
#include "autograd/core/random.h"
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

// Tensors with given elements; none has history.
Tensor empty(const Shape& shape, DType dtype = DType::float64, Device device = {});
Tensor full(const Shape& shape, double value, DType dtype = DType::float64, Device device = {});
inline Tensor zeros(const Shape& shape, DType dtype = DType::float64, Device device = {}) {
  return full(shape, 0, dtype, device);
}
inline Tensor ones(const Shape& shape, DType dtype = DType::float64, Device device = {}) {
  return full(shape, 1, dtype, device);
}
/// Zeros of x's shape, dtype and device.
inline Tensor zeros_like(const Tensor& x) { return zeros(x.shape(), x.dtype(), x.device()); }
inline Tensor ones_like(const Tensor& x) { return ones(x.shape(), x.dtype(), x.device()); }
/// Copies the values, converting them. Errors: ShapeError when their number does not fit.
Tensor from_values(std::span<const double> values, const Shape& shape, DType dtype = DType::float64,
                   Device device = {});
inline Tensor from_values(std::initializer_list<double> values, const Shape& shape,
                          DType dtype = DType::float64, Device device = {}) {
  return from_values(std::span<const double>(values.begin(), values.size()), shape, dtype, device);
}

/// Standard normal deviates: element i, in row-major order, is random.normal(i). The same `random`
/// gives the same numbers, whatever was drawn before: randn({3, 4}, {.seed = 1, .draw = 2}).
Tensor randn(const Shape& shape, const Random& random, DType dtype = DType::float64,
             Device device = {});

/// "float64 [3, 4]", and "on cuda:0" where it is not the CPU; for messages.
std::string describe(const Tensor& t);

/// The description and, below it, the numbers to six digits; of a long axis of a tensor of more
/// than a hundred elements the first three and the last three. Waits for a GPU that works on it.
std::string to_string(const Tensor& t);
std::ostream& operator<<(std::ostream& out, const Tensor& t);

/// Tensors alive in the whole process, for tests of leaks.
std::int64_t live_tensors();

}  // namespace pinn

#include "autograd/tape/tensor/body.h"  // what the short functions of Tensor read
