#pragma once
#include <atomic>
#include <memory>

#include "autograd/core/storage.h"
#include "autograd/tape/handle.h"

namespace pinn {

struct Batch;
struct Tangent;

/// A std::mutex of one byte, since every tensor has one; a thread that finds it held sleeps.
class SmallMutex {
 public:
  void lock() {
    while (held_.test_and_set(std::memory_order_acquire)) held_.wait(true);
  }
  void unlock() {
    held_.clear(std::memory_order_release);
    held_.notify_one();
  }

 private:
  std::atomic_flag held_;
};

/// Body behind a Tensor handle: a window on a storage, and a place on the tape.
struct TensorBody {
  TensorBody();
  ~TensorBody();
  TensorBody(const TensorBody&) = delete;

  std::shared_ptr<Storage> storage;    ///< null for a traced or batched tensor
  std::shared_ptr<const Batch> batch;  ///< of a batched tensor: its members
  std::int64_t offset = 0;             ///< in elements
  Shape shape;
  Sizes strides{};  ///< in elements; 0 along an expanded axis
  DType dtype = DType::float64;
  bool is_number = false;
  std::uint32_t trace = 0;  ///< the trace it was made in, 0 for none
  int value = -1;           ///< of a traced tensor: its position in the graph

  std::shared_ptr<Tangent> tangent;  ///< of forward mode; null outside a dual level

  bool is_view = false;              ///< of another tensor's elements, not detached
  bool is_unrecorded_view = false;   ///< ... whose history was not recorded
  bool is_foreign = false;           ///< on the memory of a tensor that cannot know of its changes
  std::shared_ptr<TensorBody> root;  ///< of a view that follows it: the tensor it is a view of
  /// How often a root's place on the tape (upper half) or tangent (lower half) changed in place; of
  /// a view, up to which change it has followed its root.
  std::atomic<std::uint64_t> changes{0};
  std::atomic<std::uint8_t> shown{
      0};                             ///< of a root: what else shares its elements, as Shown has it
  std::atomic<bool> is_saved{false};  ///< it or a view of it was put into a slot, as an input
  bool is_inference = false;          ///< made in an InferenceMode
  bool retains_grad = false;          ///< has a grad though it is no leaf

  bool requires_grad = false;
  int output_number = 0;
  NodePtr node;
  Tensor grad;
  NodePtr accumulator;  ///< of a leaf, made when it is first used; it refers to its leaf weakly
  std::atomic<bool> has_accumulator{false};
  SmallMutex leaf_lock;  ///< held while accumulator or grad change
};

/// Others that share the elements of a tensor, and would not notice when it is changed in place.
enum Shown : std::uint8_t {
  to_views = 1,      ///< which follow it
  to_strangers = 2,  ///< tensors that have tangents of their own
  to_leaf = 4,       ///< a view that requires a gradient itself
  to_old_views = 8,  ///< whose history this tensor has dropped
  to_function = 16,  ///< a custom function returned them as its output
};
/// Notes that the elements of b are shared so; costs a read when that is known.
void show(TensorBody& b, Shown to);

/// The tensor that b is a view of and follows, or b itself.
inline TensorBody& root_of(TensorBody& b) { return b.root ? *b.root : b; }
/// Gives a view the history and the tangent that its root's changes in place have left it.
void follow_root(const Tensor& view);
/// Body of t, once it has followed its root.
inline TensorBody& current(const Tensor& t) {
  TensorBody& b = *t.body();
  if (b.root && b.changes.load(std::memory_order_acquire) != b.root->changes) follow_root(t);
  return b;
}

/// The value of a traced or batched tensor is not there to be read. Errors: EngineError.
void must_be_concrete(const Tensor& t, const char* what);

/// A storage in the memory of a device.
std::shared_ptr<Storage> make_storage(std::size_t bytes, Device device);
/// A contiguous tensor on fresh memory.
Tensor allocate(const Shape& shape, DType dtype, Device device);
/// Another window on t's storage, without history.
Tensor alias(const Tensor& t, const Shape& shape, const Sizes& strides, std::int64_t offset);
/// The same elements with t's place on the tape: no view, and t's later changes in place are not
/// its own.
Tensor at_its_place(const Tensor& t);
/// t itself when it is contiguous, else a copy; without history.
Tensor contiguous_data(const Tensor& t);
/// True if this handle alone has t's elements: they may be changed, or handed on.
bool owned_alone(const Tensor& t);

/// That of a batched tensor's members; a traced one has none, which is called the CPU.
Device device_without_storage(const TensorBody& body);

// ---- what every op asks of its tensors, inline
inline const Shape& Tensor::shape() const { return checked().shape; }
inline const Sizes& Tensor::strides() const { return checked().strides; }
inline DType Tensor::dtype() const { return checked().dtype; }
inline bool Tensor::is_number() const { return checked().is_number; }
inline bool Tensor::requires_grad() const { return body_ && current(*this).requires_grad; }
inline const NodePtr& Tensor::node() const { return checked(), current(*this).node; }
inline bool Tensor::is_leaf() const { return !node(); }
inline int Tensor::output_number() const { return checked(), current(*this).output_number; }

[[noreturn]] void fail_mixed(const char* op, const Tensor& x, const Tensor& y);
/// Errors: EngineError for tensors of different dtypes in one op.
inline void must_have_one_dtype(const char* op, const Tensor& x, const Tensor& y) {
  if (x.dtype() != y.dtype()) fail_mixed(op, x, y);
}

inline Device Tensor::device() const {
  const TensorBody& b = checked();
  return b.storage ? b.storage->device() : device_without_storage(b);
}
inline std::uint32_t Tensor::version() const {
  const TensorBody& b = checked();
  return b.storage ? b.storage->version.load() : 0;
}
inline void* Tensor::raw() const {
  const TensorBody& b = checked();
  if (!b.storage) must_be_concrete(*this, "reading a value");
  return static_cast<char*>(b.storage->data()) + b.offset * std::int64_t(size_of(b.dtype));
}

}  // namespace pinn
