#pragma once
#include "autograd/tape/tensor.h"

namespace pinn {

/// A tensor a node keeps for its derivative formula, with the version it had.
///
/// An input is kept as it is. An output of the node is kept as its elements only - the node would
/// otherwise own itself - and gets its history back when it is unpacked.
class Saved {
 public:
  Saved() = default;
  /// is_output: t is an output of the node that saves it.
  explicit Saved(const Tensor& t, bool is_output = false);
  /// The tensor, with `owner` as its history if it was an output.
  /// Errors: EngineError when it was dropped, or changed in place since.
  Tensor unpack(Node& owner) const;
  /// Drops the tensor: the graph was not retained.
  void drop();

 private:
  Tensor tensor_;
  std::uint32_t version_ = 0;
  int output_number_ = -1;  ///< of the owner, or -1 for an input
  bool dropped_ = false;
};

}  // namespace pinn
