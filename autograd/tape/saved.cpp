#include "autograd/tape/saved.h"

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/node.h"

namespace pinn {
namespace {

/// "float64 [3], which is output 0 of exp"; the shape alone for a leaf.
std::string described_with_origin(const Tensor& t) {
  if (t.is_leaf()) return describe(t);
  return describe(t) + ", which is output " + std::to_string(t.output_number()) + " of " +
         t.node()->name();
}

}  // namespace

Saved::Saved(const Tensor& t, bool is_output) {
  if (!t.defined()) return;
  tensor_ = is_output ? t.detach() : t;
  version_ = t.version();
  if (is_output) output_number_ = t.output_number();
}

Tensor Saved::unpack(Node& owner) const {
  if (dropped_)
    throw EngineError({"the backward pass reached node '" + std::string(owner.name()) +
                           "' a second time, or its saved tensors were read after they were freed",
                       "they are freed by backward() and grad() as soon as the node has run",
                       "pass retain_graph = true to the first call"});
  if (!tensor_.defined()) return {};
  Tensor t = tensor_;
  if (output_number_ >= 0) {
    t = tensor_.detach();
    t.body()->requires_grad = true;
    t.body()->node = owner.shared_from_this();
    t.body()->output_number = output_number_;
  }
  if (t.version() != version_)
    throw EngineError({"a tensor needed for a derivative was modified by an inplace operation: " +
                           described_with_origin(t) + ", is at version " +
                           std::to_string(t.version()) + "; expected version " +
                           std::to_string(version_),
                       "saved by node '" + std::string(owner.name()) + "'",
                       "change a clone() instead, or make the change after the backward pass"});
  return t;
}

void Saved::drop() {
  if (!tensor_.defined()) return;
  tensor_ = Tensor();
  dropped_ = true;
}

}  // namespace pinn
