#pragma once
#include <memory>

#include "autograd/tape/saved_hooks.h"
#include "autograd/tape/tensor.h"

namespace pinn {

/// A slot of a node: a tensor kept for the derivative formula, with the version it had.
///
/// An input is kept as it is. An output of the node is kept as its elements only - the node would
/// otherwise own itself - and gets its history back when it is unpacked. Under hooks
/// (saved_hooks.h) the slot keeps what pack returned and the tensor's place on the tape, and no
/// tensor; what is unpacked then has that place again.
class Saved {
 public:
  Saved();
  ~Saved();
  Saved(Saved&&) noexcept;
  Saved& operator=(Saved&&) noexcept;

  /// Keeps t for `owner`, whose slot this is; is_output: t is an output of owner. The hooks in
  /// whose scope this happens pack it, unless it is a plain number or they decline.
  /// Errors: EngineError when pack changes its input; whatever pack throws.
  void keep(const Tensor& t, const Node& owner, bool is_output);
  /// The tensor, with `owner` as its history if it was an output; undefined if nothing was saved.
  /// Errors: EngineError when it was dropped, or changed in place or detached since, or when unpack
  /// returns a tensor that does not fit; whatever unpack throws.
  Tensor unpack(Node& owner) const;
  /// Packs what is in the slot now; the tensor itself is let go.
  /// Errors: EngineError for a slot that is empty, dropped or has hooks already; as keep.
  void register_hooks(const Node& owner, SavedHooksPtr hooks);
  /// The tensor itself while the slot keeps one: an input, or the elements of an output.
  const Tensor& kept() const { return tensor_; }
  /// Keeps the tensor's memory and version from here on, and its place on the tape no more: it was
  /// changed in place, so it cannot be unpacked.
  void let_go_of_place() { tensor_ = tensor_.detach(); }
  /// Drops the tensor, or what it was packed into: the graph was not retained.
  void drop();

 private:
  struct Pack;

  bool pack(const Node& owner, SavedHooksPtr hooks, const Tensor& t);
  Tensor unpacked(Node& owner) const;
  void must_not_be_dropped(const Node& owner) const;
  void must_be_unchanged(const Node& owner, const Tensor& t) const;

  Tensor tensor_;
  std::unique_ptr<Pack> pack_;  ///< instead of the tensor, under hooks
  std::uint32_t version_ = 0;
  int output_number_ = -1;  ///< of the owner, or -1 for an input
  bool had_history_ = false;
  bool dropped_ = false;
};

}  // namespace pinn
