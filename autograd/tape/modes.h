#pragma once
#include <memory>
#include <string>

namespace pinn {

class Node;
class Tensor;

/// True if ops of this thread are recorded.
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
/// InferenceMode(false) within one is a scope where ops are recorded again.
class InferenceMode : RecordingGuard {
 public:
  explicit InferenceMode(bool on = true);
  ~InferenceMode();

 private:
  bool before_;
};
/// True if an InferenceMode is open on this thread.
bool inference_mode();

/// In its scope, on this thread, every node notes where it was made: under which labels, and in the
/// derivative of which other node. An exception in a node's formula is then accompanied by a
/// warning with these traces, and a formula that makes a NaN is an error. Costs nothing when off.
class AnomalyMode {
 public:
  explicit AnomalyMode(bool check_nan = true);
  ~AnomalyMode();
  AnomalyMode(const AnomalyMode&) = delete;

 private:
  bool on_before_, check_before_;
};
/// True if an AnomalyMode is open on this thread.
bool anomaly_mode();

/// Nodes made in its scope are told to be made "in" what text() says, such as "equation 'burgers',
/// column u_xx". Scopes nest. text is only called in an AnomalyMode.
class AnomalyLabel {
 public:
  template <class Text> explicit AnomalyLabel(const Text& text) : on_(anomaly_mode()) {
    if (on_) enter(text());
  }
  ~AnomalyLabel() {
    if (on_) leave();
  }
  AnomalyLabel(const AnomalyLabel&) = delete;

 private:
  static void enter(std::string text);
  static void leave();
  bool on_;
};

/// "'mul' was made in equation 'burgers' > column u_xx", and a line for each node in whose
/// derivative the one before was made; empty for a node made outside an AnomalyMode.
std::string creation_trace(const Node& node);

// ---- for the engine -----------------------------------------------------------------------------

/// Place where a node was made.
struct Creation {
  std::string labels;
  std::string running;                     ///< the node that ran then; empty in a forward pass
  std::shared_ptr<const Creation> parent;  ///< where that one was made
  ~Creation();
};
std::shared_ptr<const Creation> creation_here();

/// Errors: NumericsError where gradient i, made by the node, has a NaN and the mode looks for them.
void must_not_be_nan(const Node& node, const Tensor& gradient, std::size_t i);
/// Says where the node was made, for the exception that is on its way.
void warn_of_exception(const Node& node);

}  // namespace pinn
