#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tape/modes.h"
#include "autograd/tape/tensor.h"

namespace pinn {

class Node;

/// Facts that a pack hook may know of the tensor it is given.
struct SavedContext {
  const char* op = "";         ///< the node that saves it
  const char* slot = "";       ///< what the node calls it
  bool is_leaf = false;        ///< made by no node: it stays alive whatever the hook does
  bool is_parameter = false;   ///< a leaf that requires a gradient
  bool is_output = false;      ///< made by the node that saves it
  std::size_t bytes = 0;       ///< of its elements; those that an expanded axis repeats count once
  const Node* node = nullptr;  ///< the node that saves it, which lives at least as long as the slot
  int slot_number = -1;
};

/// Which saved tensors hooks are for.
enum class SavedFilter : unsigned char {
  donated,    ///< what a node made: nothing else keeps it alive
  no_static,  ///< inputs too, but no parameters
  all
};
inline bool passes(SavedFilter filter, const SavedContext& context) {
  if (filter == SavedFilter::donated) return !context.is_leaf;
  return filter == SavedFilter::all || !context.is_parameter;
}

/// Packed form of a saved tensor. It goes when its slot is dropped, and with it whatever it holds:
/// memory, space in a file.
struct Packed {
  std::vector<Tensor> tensors;
  std::shared_ptr<void> object;  ///< anything that is no tensor
};

/// A pair of functions that stands between a slot and the tensor saved in it.
///
/// pack is called once, when the tensor is saved, with an alias that has no history; it may not
/// change it, and may decline it by returning nothing: then the tensor is kept as it is. unpack is
/// called as often as the slot is read, which is never for a formula that is not wanted; it returns
/// a tensor of the same shape and dtype, and may not change what it unpacks. Neither is recorded.
struct SavedHooks {
  std::string name;  ///< for messages
  std::function<std::optional<Packed>(const Tensor&, const SavedContext&)> pack;
  std::function<Tensor(const Packed&)> unpack;
  bool lossy = false;      ///< unpack returns other numbers than pack was given
  bool traceable = false;  ///< written in functions of tensors alone: it may be given traced ones
};
using SavedHooksPtr = std::shared_ptr<const SavedHooks>;

/// Scope on this thread in which what is saved goes through these hooks, and through no others: of
/// nested scopes only the innermost applies. With null, tensors are kept as they are.
///
/// Only the scope in which a tensor is saved counts: around a forward pass it says nothing about
/// the nodes that a backward pass with create_graph records, and the other way round.
class SavedHooksScope {
 public:
  /// Errors: EngineError where hooks are disabled.
  explicit SavedHooksScope(SavedHooksPtr hooks);
  ~SavedHooksScope();
  SavedHooksScope(const SavedHooksScope&) = delete;

 private:
  std::uint64_t id_;
};

/// No hooks may be active on this thread in its scope. Errors, here and where hooks are entered
/// meanwhile: EngineError with the message; the innermost one counts.
class DisableSavedHooks {
 public:
  explicit DisableSavedHooks(std::string message);
  ~DisableSavedHooks();
  DisableSavedHooks(const DisableSavedHooks&) = delete;

 private:
  std::uint64_t id_;
};

/// The hooks that apply on this thread now; null for none.
const SavedHooksPtr& current_saved_hooks();

/// Scope of a hook, which ends what the hook does to the state of its thread: nothing it computes
/// is recorded, and scopes of hooks that it leaves open are closed.
class InsideHook {
 public:
  InsideHook();
  ~InsideHook();
  InsideHook(const InsideHook&) = delete;

 private:
  RecordingGuard recording_;
  std::uint64_t mark_;
};

}  // namespace pinn
