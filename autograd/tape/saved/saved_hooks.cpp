#include "autograd/tape/saved_hooks.h"

#include "autograd/core/error.h"

namespace pinn {
namespace {

/// One scope that is open on this thread.
struct Frame {
  std::uint64_t id;
  SavedHooksPtr hooks;
  std::optional<std::string> forbids;  ///< the message of a DisableSavedHooks
};

struct Stack {
  std::vector<Frame> frames;
  std::uint64_t next_id = 0;
};

/// The hooks of the innermost scope. Saving a tensor asks for them, so they cost one load.
constinit thread_local const SavedHooksPtr* innermost = nullptr;

Stack& stack() {
  static thread_local Stack value;
  return value;
}

void find_innermost() {
  innermost = nullptr;
  for (const Frame& frame : stack().frames)
    if (!frame.forbids) innermost = frame.hooks ? &frame.hooks : nullptr;
}

std::uint64_t enter(Frame frame) {
  Stack& s = stack();
  frame.id = s.next_id++;
  s.frames.push_back(std::move(frame));
  find_innermost();
  return s.next_id - 1;
}

/// Scopes may end in any order, and after the hook that opened them: each closes itself alone.
template <class Ends> void close(Ends ends) {
  std::erase_if(stack().frames, ends);
  find_innermost();
}

[[noreturn]] void refuse(const std::string& message) {
  throw EngineError({message, "hooks of saved tensors are disabled here",
                     "leave the scope of the hooks, or of what disables them"});
}

}  // namespace

SavedHooksScope::SavedHooksScope(SavedHooksPtr hooks) {
  if (hooks)
    for (auto frame = stack().frames.rbegin(); frame != stack().frames.rend(); ++frame)
      if (frame->forbids) refuse(*frame->forbids);
  id_ = enter({0, std::move(hooks), {}});
}

SavedHooksScope::~SavedHooksScope() {
  close([this](const Frame& frame) { return frame.id == id_; });
}

DisableSavedHooks::DisableSavedHooks(std::string message) {
  for (const Frame& frame : stack().frames)
    if (frame.hooks) refuse(message);
  id_ = enter({0, nullptr, std::move(message)});
}

DisableSavedHooks::~DisableSavedHooks() {
  close([this](const Frame& frame) { return frame.id == id_; });
}

const SavedHooksPtr& current_saved_hooks() {
  static const SavedHooksPtr none;
  return innermost ? *innermost : none;
}

InsideHook::InsideHook() : recording_(false), mark_(stack().next_id) {}

InsideHook::~InsideHook() {
  if (stack().next_id == mark_) return;
  close([this](const Frame& frame) { return frame.id >= mark_; });
}

}  // namespace pinn
