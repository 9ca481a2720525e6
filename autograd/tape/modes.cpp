#include "autograd/tape/modes.h"

namespace pinn {
namespace {

bool& mode() {
  static thread_local bool on = true;
  return on;
}

}  // namespace

bool recording() { return mode(); }

RecordingGuard::RecordingGuard(bool on) : before_(mode()) { mode() = on; }
RecordingGuard::~RecordingGuard() { mode() = before_; }

}  // namespace pinn
