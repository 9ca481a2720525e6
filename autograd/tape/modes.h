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

/// NoGrad for evaluation: tensors made in its scope can never become part of a derivative. Outside
/// they may be read, but not be saved for a backward pass, require a gradient, or be changed in
/// place: clone() them for that. Changes of other tensors in its scope still count as changes.
class InferenceMode : NoGrad {
 public:
  InferenceMode();
  ~InferenceMode();

 private:
  bool before_;
};
/// Whether an InferenceMode is open on this thread.
bool inference_mode();

}  // namespace pinn
