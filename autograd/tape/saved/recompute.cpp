#include "autograd/tape/save_on.h"

#include <mutex>
#include <optional>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/node.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Keeps a checkpoint's inputs in slots; it is no part of the graph.
class InputsNode : public Node {
 public:
  const char* name() const override { return "checkpoint"; }
  const char* slot_name(int) const override { return "input"; }
  Gradients apply(const Gradients&) override { return {}; }
};

/// Tensors that one call of a function saved, by order: none at first, and when one is asked for,
/// all.
class Recomputation : public std::enable_shared_from_this<Recomputation> {
 public:
  Recomputation(Function function, const std::vector<Tensor>& inputs)
      : function_(std::move(function)), inputs_(make_node<InputsNode>()) {
    for (const Tensor& t : inputs) {
      const bool may_change = !(t.is_leaf() && t.requires_grad());  // in place, and be our output
      inputs_->save(int(requires_grad_.size()), may_change ? at_its_place(t) : t);
      requires_grad_.push_back(t.requires_grad());
    }
    keep_tangents(inputs);
  }

  /// The function's outputs; what it saves leaves a place in the list and nothing more.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) {
    SavedHooks hooks;
    hooks.name = "checkpoint";
    hooks.pack = [self = shared_from_this()](const Tensor& t, const SavedContext& context) {
      return Packed{{}, self->note(t, context.is_leaf)};
    };
    hooks.unpack = [](const Packed& packed) {
      const auto& place = *static_cast<const Place*>(packed.object.get());
      return place.of->value(place.number);
    };
    const SavedHooksScope scope(std::make_shared<const SavedHooks>(std::move(hooks)));
    std::vector<Tensor> outputs = function_(inputs);
    const std::lock_guard guard(lock_);
    complete_ = true;
    return outputs;
  }

 private:
  /// Content of a slot. When it goes, so does the value.
  struct Place {
    Place(std::shared_ptr<Recomputation> whose, std::size_t which)
        : of(std::move(whose)), number(which) {}
    ~Place() { of->drop(number); }
    const std::shared_ptr<Recomputation> of;
    const std::size_t number;
  };
  /// Value that the second run saved, and the version it had.
  struct Again {
    Tensor value;
    std::uint32_t version = 0;
  };
  struct Entry {
    Shape shape;
    DType dtype;
    std::weak_ptr<Storage> leaf;  ///< memory of a leaf, which a change in place would change
    std::uint32_t version;
    bool wanted = true;  ///< its slot is there
    Again again;         ///< computed again
  };

  /// How tangents come about is recorded as well, so that computing again needs them, also when
  /// their level is long closed.
  void keep_tangents(const std::vector<Tensor>& inputs) {
    if (!any_tangent(inputs)) return;
    const NoTangents of_tangents;
    if (!recording()) return;
    for (const Tensor& t : inputs) {
      const Tensor tangent = tangent_of(t);
      inputs_->save(int(requires_grad_.size() + tangent_requires_grad_.size()),
                    tangent.defined() ? tangent.detach() : tangent);
      tangent_requires_grad_.push_back(tangent.requires_grad());
    }
  }

  /// Gives inputs the tangents that they had in the first run.
  void restore_tangents(const std::vector<Tensor>& inputs) {
    for (std::size_t i = 0; i < tangent_requires_grad_.size(); ++i) {
      Tensor tangent = inputs_->unpack(int(requires_grad_.size() + i));
      if (!tangent.defined()) continue;
      tangent = tangent.detach();
      set_tangent(inputs[i], tangent.set_requires_grad(tangent_requires_grad_[i]));
    }
  }

  std::shared_ptr<Place> note(const Tensor& t, bool is_leaf) {
    const std::lock_guard guard(lock_);
    entries_.push_back(
        {t.shape(), t.dtype(), is_leaf ? t.body()->storage : nullptr, t.version(), true, {}});
    return std::make_shared<Place>(shared_from_this(), entries_.size() - 1);
  }

  void drop(std::size_t number) {
    const std::lock_guard guard(lock_);
    entries_[number].wanted = false;
    entries_[number].again = {};
  }

  Tensor value(std::size_t number) {
    Again found = kept(number);
    if (!found.value.defined()) {
      // Without the lock: the function may run passes, which wait for nodes that another thread
      // runs, and that thread for this. Two threads may compute the same.
      const std::vector<Again> again = computed_again();
      if (number < again.size()) found = again[number];
      if (running_node()) keep_all(again);  // else a slot is read outside of any pass
    }
    const Tensor& value = found.value;
    if (value.defined() && value.version() != found.version)
      throw EngineError({"a tensor needed for a derivative was modified by an inplace operation: " +
                             describe(value) + ", inside a checkpoint",
                         "saved tensor " + std::to_string(number) + " of checkpoint()",
                         "change a clone() in the function"});
    return value;
  }

  Again kept(std::size_t number) const {
    const std::lock_guard guard(lock_);
    return entries_[number].again;
  }

  void keep_all(const std::vector<Again>& again) {
    const std::lock_guard guard(lock_);
    for (std::size_t i = 0; i < again.size(); ++i)
      if (entries_[i].wanted) entries_[i].again = again[i];
  }

  void forget() {
    const std::lock_guard guard(lock_);
    for (Entry& entry : entries_) entry.again = {};
  }

  /// Values that the function saves, computed again; undefined where not wanted.
  std::vector<Again> computed_again() {
    if (running_node()) after_pass([self = shared_from_this()] { self->forget(); });
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < requires_grad_.size(); ++i) {
      const Tensor input = inputs_->unpack(int(i));
      inputs.push_back(input.detach());
      share_tangent(input, inputs.back());  // whose ops save tensors as well
      if (requires_grad_[i]) inputs.back().set_requires_grad();
    }
    std::optional<DualLevel> level;
    if (!tangent_requires_grad_.empty() && !any_tangent(inputs)) {
      if (dual_level_open())
        throw EngineError({"a checkpoint was computed again in another dual level than before",
                           "checkpoint()", "differentiate inside the level, or after it"});
      level.emplace();
      restore_tangents(inputs);
    }
    std::vector<Again> again;
    SavedHooks hooks;
    hooks.name = "checkpoint";
    hooks.pack = [&](const Tensor& t, const SavedContext&) {
      keep(t, again);
      return Packed{{t}, nullptr};
    };
    hooks.unpack = [](const Packed& packed) { return packed.tensors[0]; };
    const EnableGrad recorded;
    const SavedHooksScope scope(std::make_shared<const SavedHooks>(std::move(hooks)));
    function_(inputs);
    const std::lock_guard guard(lock_);
    if (complete_ && again.size() != entries_.size())
      differs(std::to_string(again.size()) + " saved tensors", std::to_string(entries_.size()));
    return again;
  }

  /// t is the next of those that the second run saves.
  void keep(const Tensor& t, std::vector<Again>& again) const {
    const std::lock_guard guard(lock_);
    const std::size_t number = again.size();
    if (number >= entries_.size()) {
      // The function takes gradients itself and has not got any further the first time.
      if (!complete_) return;
      differs("more saved tensors", std::to_string(entries_.size()));
    }
    const Entry& entry = entries_[number];
    if (!(t.shape() == entry.shape) || t.dtype() != entry.dtype)
      differs(describe(t) + " as saved tensor " + std::to_string(number),
              std::string(name_of(entry.dtype)) + " " + to_string(entry.shape));
    if (entry.leaf.lock() == t.body()->storage && t.version() != entry.version)
      throw EngineError(
          {"a tensor that a checkpoint computes with was modified by an inplace "
           "operation: " +
               describe(t) + " is at version " + std::to_string(t.version()) +
               "; expected version " + std::to_string(entry.version),
           "saved tensor " + std::to_string(number) + " of checkpoint()",
           "make the change after the backward pass"});
    again.push_back(entry.wanted ? Again{t, t.version()} : Again());
  }

  [[noreturn]] static void differs(const std::string& got, const std::string& expected) {
    throw EngineError(
        {"a checkpointed function did something else when it was computed again: got " + got +
             " but expected " + expected,
         "checkpoint()", "make it depend on its inputs alone"});
  }

  Function function_;
  Ref<InputsNode> inputs_;
  std::vector<bool> requires_grad_;
  std::vector<bool> tangent_requires_grad_;  ///< where tangents were recorded
  mutable std::recursive_mutex lock_;        ///< a value that goes may drop others
  std::vector<Entry> entries_;
  bool complete_ = false;  ///< the first run is over
};

}  // namespace

std::vector<Tensor> checkpoint(Function function, const std::vector<Tensor>& inputs) {
  if (!recording()) return function(inputs);
  return std::make_shared<Recomputation>(std::move(function), inputs)->run(inputs);
}

Tensor checkpoint(std::function<Tensor(const std::vector<Tensor>&)> function,
                  const std::vector<Tensor>& inputs) {
  return checkpoint(Function([f = std::move(function)](const std::vector<Tensor>& x) {
                      return std::vector<Tensor>{f(x)};
                    }),
                    inputs)[0];
}

}  // namespace pinn
