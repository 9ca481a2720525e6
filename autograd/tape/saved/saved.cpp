#include "autograd/tape/saved.h"

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine/node_hooks.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

/// "float64 [3], which is output 0 of exp"; the shape alone for a leaf.
std::string described_with_origin(const Tensor& t) {
  if (t.is_leaf()) return describe(t);
  return describe(t) + ", which is output " + std::to_string(t.output_number()) + " of " +
         t.node()->name();
}

/// Which of the owner's slots this is; -1 for one that stands elsewhere.
int slot_number(const Node& owner, const Saved& slot) {
  const Saved* first = owner.slots().data();
  const bool of_owner = &slot >= first && &slot < first + owner.slots().size();
  return of_owner ? int(&slot - first) : -1;
}

const char* slot_name(const Node& owner, const Saved& slot) {
  const int number = slot_number(owner, slot);
  return number >= 0 ? owner.slot_name(number) : "saved tensor";
}

/// "node 'mul', slot 'x'".
std::string place(const Node& owner, const Saved& slot) {
  return "node '" + std::string(owner.name()) + "', slot '" + slot_name(owner, slot) + "'";
}

/// "; 'mul' was made in ..." where the node noted that.
std::string trace(const Node& owner) {
  const std::string made = creation_trace(owner);
  return made.empty() ? "" : "; " + made;
}

std::size_t bytes_of(const Tensor& t) {
  std::size_t bytes = size_of(t.dtype());
  for (int i = 0; i < t.rank(); ++i)
    if (t.strides()[i] != 0) bytes *= std::size_t(t.shape()[i]);
  return bytes;
}

}  // namespace

/// Content of a slot under hooks: all that the tensor was, but for its elements.
struct Saved::Pack {
  SavedHooksPtr hooks;
  Packed packed;
  Shape shape;
  DType dtype;
  bool requires_grad;
  int output_number;  ///< of `made`
  NodePtr made;       ///< the node that made an input; null for a leaf and an output
  NodePtr sink;       ///< the accumulator of a leaf that requires a gradient
  std::shared_ptr<Tangent> tangent;
};

Saved::Saved() = default;
Saved::~Saved() = default;
Saved::Saved(Saved&&) noexcept = default;
Saved& Saved::operator=(Saved&&) noexcept = default;

void Saved::keep(const Tensor& t, const Node& owner, bool is_output) {
  if (tensor_.defined() || pack_ || dropped_) *this = Saved();
  if (!t.defined()) return;
  TensorBody& body = current(t);
  if (is_output) output_number_ = body.output_number;
  had_history_ = bool(body.node);
  version_ = t.version();
  const SavedHooksPtr& hooks = current_saved_hooks();
  if (hooks && !body.is_number && pack(owner, hooks, t)) return;
  if (is_output) {
    tensor_ = t.detach();
    return share_tangent(t, tensor_);
  }
  tensor_ = t;
  std::atomic<bool>& noted = root_of(body).is_saved;
  if (!noted.load(std::memory_order_relaxed)) noted.store(true, std::memory_order_relaxed);
}

/// Packs t and notes its place on the tape; false when the hooks decline it.
bool Saved::pack(const Node& owner, SavedHooksPtr hooks, const Tensor& t) {
  if (!t.body()->storage && !hooks->traceable) return false;  // a traced tensor has no elements
  const bool is_output = output_number_ >= 0;
  const bool is_leaf = t.is_leaf() && !is_output;
  const SavedContext context{owner.name(), slot_name(owner, *this),
                             is_leaf,      is_leaf && t.requires_grad(),
                             is_output,    bytes_of(t),
                             &owner,       slot_number(owner, *this)};
  const Tensor shown = t.detach();
  const InsideHook inside;
  ++stats().pack_calls;
  std::optional<Packed> packed = hooks->pack(shown, context);
  if (t.version() != version_)
    throw EngineError({"the pack hook '" + hooks->name +
                           "' is modifying its input in place, which is not allowed",
                       place(owner, *this) + ", " + describe(t), "let the hook change a clone()"});
  if (!packed) return false;
  pack_ = std::make_unique<Pack>(
      Pack{std::move(hooks), std::move(*packed), t.shape(), t.dtype(),
           t.requires_grad() || is_output, t.output_number(), is_output ? nullptr : t.node(),
           context.is_parameter ? accumulator_of(t) : nullptr, t.body()->tangent});
  return true;
}

void Saved::register_hooks(const Node& owner, SavedHooksPtr hooks) {
  must_not_be_dropped(owner);
  if (!hooks)
    throw EngineError({"no pair of hooks was registered on a slot", place(owner, *this),
                       "make a SavedHooks, and share it as a SavedHooksPtr"});
  if (pack_)
    throw EngineError({"hooks were already set, and a slot has only one pair", place(owner, *this),
                       "register one pair that does both"});
  if (!tensor_.defined())
    throw EngineError({"there is nothing to pack: a value None is forbidden for hooks",
                       place(owner, *this), "register hooks on slots that hold a tensor"});
  must_be_unchanged(owner, tensor_);
  if (pack(owner, hooks, tensor_)) tensor_ = Tensor();
}

void Saved::must_not_be_dropped(const Node& owner) const {
  if (!dropped_) return;
  throw EngineError({"the backward pass reached node '" + std::string(owner.name()) +
                         "' a second time, or its saved tensors were read after they were freed",
                     "they are freed by backward() and grad() as soon as the node has run",
                     "pass retain_graph = true to the first call"});
}

void Saved::must_be_unchanged(const Node& owner, const Tensor& t) const {
  if (t.version() != version_)
    throw EngineError({"a tensor needed for a derivative was modified by an inplace operation: " +
                           described_with_origin(t) + ", is at version " +
                           std::to_string(t.version()) + "; expected version " +
                           std::to_string(version_),
                       "saved by " + place(owner, *this) + trace(owner),
                       "change a clone() instead, or make the change after the backward pass" +
                           std::string(owner.creation() ? ""
                                                        : "; an AnomalyMode tells where "
                                                          "the node was made")});
  if (output_number_ < 0 && had_history_ && t.is_leaf())
    throw EngineError(
        {"a saved tensor was detached in place: the graph that it belonged to is lost",
         place(owner, *this) + ", " + describe(t),
         "use the out-of-place detach(), which leaves the tensor as it is"});
}

Tensor Saved::unpack(Node& owner) const {
  must_not_be_dropped(owner);
  if (pack_) return unpacked(owner);
  if (!tensor_.defined()) return {};
  Tensor t = tensor_;
  if (output_number_ >= 0) {
    t = tensor_.detach();
    share_tangent(tensor_, t);
    t.body()->requires_grad = true;
    t.body()->node = NodePtr(&owner);
    t.body()->output_number = output_number_;
  }
  must_be_unchanged(owner, t);
  return t;
}

Tensor Saved::unpacked(Node& owner) const {
  if (pack_->hooks->lossy && recording() && running_node())
    warn("derivatives are taken of derivatives that were computed from rounded tensors ('" +
         pack_->hooks->name + "'): they have the errors of that format; take them in Taylor mode");
  Tensor found;
  {
    const InsideHook inside;
    ++stats().unpack_calls;
    found = pack_->hooks->unpack(pack_->packed);
  }
  const bool fits =
      found.defined() && found.shape() == pack_->shape && found.dtype() == pack_->dtype;
  if (!fits)
    throw EngineError({"the unpack hook '" + pack_->hooks->name + "' returned " + describe(found) +
                           " but expected " + name_of(pack_->dtype) + " " + to_string(pack_->shape),
                       place(owner, *this), "return what was packed, in shape and dtype"});
  Tensor t = found.detach();
  TensorBody& body = *t.body();
  body.is_number = false;
  body.requires_grad = pack_->requires_grad;
  body.output_number = output_number_ >= 0 ? output_number_ : pack_->output_number;
  body.node = output_number_ >= 0 ? NodePtr(&owner) : pack_->made;
  body.tangent = pack_->tangent;
  body.accumulator = pack_->sink;
  body.has_accumulator = bool(pack_->sink);
  return t;
}

void Saved::drop() {
  if (!tensor_.defined() && !pack_) return;
  tensor_ = Tensor();
  pack_.reset();
  dropped_ = true;
}

}  // namespace pinn
