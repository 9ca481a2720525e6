#pragma once

namespace pinn {

/// Whether ops of this thread are recorded.
bool recording();

/// Turns recording off (or on again) in a scope, on this thread.
class RecordingGuard {
 public:
  explicit RecordingGuard(bool on);
  ~RecordingGuard();
  RecordingGuard(const RecordingGuard&) = delete;

 private:
  bool before_;
};

/// No history is recorded in its scope.
struct NoGrad : RecordingGuard {
  NoGrad() : RecordingGuard(false) {}
};
/// History is recorded in its scope, even inside a NoGrad.
struct EnableGrad : RecordingGuard {
  EnableGrad() : RecordingGuard(true) {}
};

}  // namespace pinn
